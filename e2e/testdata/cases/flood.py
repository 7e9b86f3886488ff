"""flood.py ADDRESS PORT is httpd.py, after it has written 100 MB of lines."""

import runpy
import sys

lines = ("x" * 999 + "\n") * 100
for _ in range(1000):
    sys.stdout.write(lines)
sys.stdout.flush()
runpy.run_path(__file__.replace("flood.py", "httpd.py"))
