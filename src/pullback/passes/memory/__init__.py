"""Passes over arrays: which are made, when, and in whose memory."""
