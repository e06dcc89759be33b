"""Array memory: views by byte offset, copies, buffers that grow, and how much is free."""
