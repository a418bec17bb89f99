"""In the place of systemd: binds the datagram socket of sd_notify(3), and prints each message on a line, with | for its ends of lines.

notify.py SOCKET
"""

import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
    notify.bind(sys.argv[1])
    print("bound", flush=True)
    while True:
        print(notify.recv(4096).decode().rstrip("\n").replace("\n", "|"), flush=True)
