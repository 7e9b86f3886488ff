#!/bin/sh
# Starts the Java that JAVA_HOME names, or the one on the PATH: so a variant chooses
# its JDK with env: {JAVA_HOME: …}.
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" "$@"
