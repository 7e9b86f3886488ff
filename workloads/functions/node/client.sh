#!/bin/sh
# Makes the client of the Runtime API: AWS's own where it can be compiled, otherwise the one in runtime.js.
#
#	client.sh FOLDER
#
# FOLDER gets client.mjs, which is what an environment runs, and client.txt, which says whose it is.
set -eu
to=$1

# lacks prints what is missing to compile AWS's.
lacks() {
	for program in cmake g++ make; do
		command -v "$program" >/dev/null || { echo "$program"; return; }
	done
	[ -e "$headers/include/node/node_api.h" ] || echo "Node's headers"
}

headers=$(node -p 'require("path").resolve(process.execPath, "../..")')
missing=$(lacks)
if [ -n "$missing" ]; then
	echo "functions: $missing is missing to compile aws-lambda-ric; runtime.js takes its place" >&2
	echo "import { createRequire } from 'node:module'; createRequire(import.meta.url)(process.cwd() + '/runtime.js');" >"$to/client.mjs"
	echo "runtime.js, since $missing is missing to compile aws-lambda-ric" >"$to/client.txt"
	exit
fi
(cd ric && npm ci --nodedir="$headers" --no-audit --no-fund)
mv ric/node_modules "$to/node_modules"
cp client.mjs "$to/client.mjs"
node -p '"aws-lambda-ric " + JSON.parse(require("fs").readFileSync(process.argv[1])).version' "$to/node_modules/aws-lambda-ric/package.json" >"$to/client.txt"
