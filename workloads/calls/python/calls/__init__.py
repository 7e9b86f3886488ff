"""Recursive calls, made as they are ordered over TCP on loopback (docs/self-driving.md).

    python3 -m calls PORT

The program is there to be traced: TRACETAX_TRACER names the module that the
function is taken from. Without it no tracer is imported.
"""
