"""Files that outlive a process: generated texts for people to read, and machine code for the next process to run.

Machine code is run as it is found. So a file is read only where nobody but the user (or the administrator) can have
written it (`folder.py`), and only if a checksum over its bytes and its key is right (`files.py`). Whatever goes wrong
is a miss: the code is compiled, and the call goes on. What has not been used for longest makes room (`room.py`).
`machine_code.py` and `runtime/codegen/kept_callees.py` know how Numba takes its functions to pieces.
"""
