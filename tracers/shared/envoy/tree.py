"""The tree of a YAML file, as PyYAML composes it: what is not touched is written as it was read."""

import re

import yaml

represent = yaml.representer.SafeRepresenter(sort_keys=False).represent_data


class Refused(Exception):
    """Why a command or a configuration cannot be given tracing."""


def line(node):
    return node.start_mark.line + 1


def entries(node):
    """The nodes of the keys of a mapping, with their values."""
    return node.value if isinstance(node, yaml.MappingNode) else []


def field(key):
    """The name of the field that a key is of: Envoy takes filterChains for filter_chains."""
    return re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), key.value)


def entry(node, key):
    """The nodes of a key and its value in a mapping; None where it has not got it."""
    return next((pair for pair in entries(node) if field(pair[0]) == key), None)


def get(node, *path):
    """What stands at a path; None where nothing does, or only null."""
    for key in path:
        found = entry(node, key)
        if found is None or found[1].tag == "tag:yaml.org,2002:null":
            return None
        node = found[1]
    return node


def text(node, default=""):
    return node.value if isinstance(node, yaml.ScalarNode) else default


def items(node):
    return node.value if isinstance(node, yaml.SequenceNode) else []


def put(node, key, value):
    """Sets a key of a mapping to a value, or to a node."""
    value = value if isinstance(value, yaml.Node) else represent(value)
    node.value = [(k, v) for k, v in node.value if field(k) != key]
    node.value.append((represent(key), value))


def made(node, key, empty):
    """What stands under a key of a mapping, made where nothing does."""
    found = get(node, key)
    if found is None:
        put(node, key, empty)
        found = get(node, key)
    return found


def mappings(node, seen=None):
    """All mappings below a node, each once: an alias is the node that it stands for."""
    seen = set() if seen is None else seen
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        yield node
    for _, value in entries(node):
        yield from mappings(value, seen)
    for item in items(node):
        yield from mappings(item, seen)
