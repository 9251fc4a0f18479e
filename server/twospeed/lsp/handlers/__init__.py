"""One function a message: unpack, call, pack. The tables in `server` say which is which."""
