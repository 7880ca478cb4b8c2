"""Stand for a server that another process forks: `python launch.py SOCKET [FLAGS]`.

It hands over its streams, folder and environment, and ends when the server does.
"""

import json
import os
import socket
import sys
from pathlib import Path

with socket.socket(socket.AF_UNIX) as asked:
    asked.connect(sys.argv[1])
    request = {"arguments": sys.argv[2:], "environ": dict(os.environ), "folder": str(Path.cwd())}
    socket.send_fds(asked, [json.dumps(request).encode()], [0, 1, 2])
    os.close(0)
    os.close(1)
    asked.recv(1)
