#!/bin/sh
# Stands in for an agent's command line in the sandbox: answers as `pi --mode json` does.
echo '{"type":"turn_end","message":{"role":"assistant","content":"hello"}}'
