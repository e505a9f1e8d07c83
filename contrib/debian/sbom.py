#!/usr/bin/env python3
"""Writes what shelfd's programs are linked with, as CycloneDX 1.4 in JSON, from what dpkg knows.

sbom.py --build DIR --output FILE PROGRAM...   DIR is a build tree of ninja: it knows which headers were compiled in
sbom.py --names FILE                           prints the names in such a file
sbom.py --check FILE PROGRAM...                fails if a library that a program is linked with, or a licence file, is
                                               not there
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import uuid


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_libraries(program):
    """Names of the shared libraries that the program itself asks for."""
    return re.findall(r"^\s+NEEDED\s+(\S+)$", output_of("objdump", "-p", program), re.M)


def library_files(program):
    """Shared libraries that the program is linked with, name -> file."""
    found = re.findall(r"^\s+(\S+) => (/\S+) ", output_of("ldd", program), re.M)
    return {name: os.path.realpath(path) for name, path in found}


def compiled_headers(build):
    """Headers of packages from which code may be in the programs."""
    lines = output_of("ninja", "-C", build, "-t", "deps").splitlines()
    return {os.path.realpath(line.strip()) for line in lines if line.startswith("    /usr/")}


def owners(files):
    """file -> package; files that belong to none are left out."""
    known = {}
    names = sorted(files)
    # A file of a system whose /lib is a link may be known by its name there.
    names += [name[len("/usr"):] for name in names if name.startswith("/usr/lib")]
    for begin in range(0, len(names), 500):
        asked = subprocess.run(["dpkg-query", "-S", *names[begin:begin + 500]], capture_output=True, text=True)
        for line in asked.stdout.splitlines():
            package, _, path = line.partition(": ")
            if path and not package.startswith("diversion by"):
                known[path if path.startswith("/usr") else "/usr" + path] = package.split(",")[0]
    return known


def licences(package):
    """Names in a machine-readable copyright file, and the file itself."""
    path = f"/usr/share/doc/{package.split(':')[0]}/copyright"
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return path, []
    names = set(re.findall(r"^License: *(\S[^\n]*)$", text, re.M)) if "format/1.0" in text[:400] else set()
    return path, sorted(name.strip() for name in names)


def distribution():
    with open("/etc/os-release", encoding="utf-8") as file:
        facts = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', file.read(), re.M))
    return f"{facts['ID']}-{facts['VERSION_ID']}"


def component(package, how, files):
    form = "${binary:Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}"
    name, version, architecture, source, source_version = output_of("dpkg-query", "-W", "-f", form, package).split("\t")
    name = name.split(":")[0]
    copyright_file, names = licences(package)
    made = {
        "type": "library",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}"
                f"?arch={architecture}&distro={distribution()}",
        "properties": [
            {"name": "shelfd:linkage", "value": how},
            {"name": "shelfd:licence-file", "value": copyright_file},
            {"name": "debian:source", "value": f"{source} {source_version}"},
        ],
    }
    if names:
        made["licenses"] = [{"license": {"name": one}} for one in names]
    if how == "shared library":
        with open(files[0], "rb") as file:
            made["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(file.read()).hexdigest()}]
    return made


def collect(build, programs):
    shared = {}
    for program in programs:
        files = library_files(program)
        wanted = {files[name] for name in needed_libraries(program) if name in files}
        for path, package in owners(wanted).items():
            shared.setdefault(package, []).append(path)
    compiled = set(owners(compiled_headers(build)).values())
    components = [component(package, "shared library", sorted(files)) for package, files in shared.items()]
    components += [component(package, "headers compiled in", []) for package in compiled]
    return sorted(components, key=lambda one: one["bom-ref"])


def document(version, components):
    stamp = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    content = json.dumps(components, sort_keys=True)
    subject = f"shelfd@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.4",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, subject + content)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", stamp),
            "component": {"type": "application", "bom-ref": subject, "name": "shelfd", "version": version},
        },
        "components": components,
        "dependencies": [{"ref": subject, "dependsOn": [one["bom-ref"] for one in components]}],
    }


def faults(document, programs):
    """What the list lacks, compared with the programs and with the licence files of this machine."""
    listed = {one["name"]: {entry["name"]: entry["value"] for entry in one["properties"]} for one in document["components"]}
    for program in programs:
        files = library_files(program)
        known = owners(set(files.values()))
        for name in needed_libraries(program):
            package = known.get(files.get(name, ""))
            if package is None:
                yield f"{program} is linked with {name}, which belongs to no package"
            elif package.split(":")[0] not in listed:
                yield f"{program} is linked with {name} of {package}, which is not listed"
    for name, facts in sorted(listed.items()):
        path = facts.get("shelfd:licence-file", "")
        if not os.path.isfile(path):
            yield f"the licence file of {name} is not there: {path}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--version")
    parser.add_argument("--output")
    parser.add_argument("--names", metavar="FILE")
    parser.add_argument("--check", metavar="FILE")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    if options.names:
        with open(options.names, encoding="utf-8") as file:
            print(" ".join(one["name"] for one in json.load(file)["components"]))
        return
    if options.check:
        with open(options.check, encoding="utf-8") as file:
            found = list(faults(json.load(file), options.programs))
        sys.exit("\n".join("sbom.py: " + one for one in found) if found else 0)
    components = collect(options.build, options.programs)
    if not components:
        sys.exit("sbom.py: dpkg knows none of the files that were linked")
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(document(options.version, components), file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
