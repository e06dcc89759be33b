"""Facts about a Function: frozen results, passed along, never stored on its nodes."""
