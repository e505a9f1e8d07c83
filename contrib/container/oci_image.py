#!/usr/bin/env python3
"""Writes a tar archive of a file system as an OCI image of one layer; the same input gives the same bytes.

oci_image.py --root TAR --version V --architecture A --user UID:GID --output FILE
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import time

LAYOUT = "application/vnd.oci.image."


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def compressed(path):
    """The file, compressed without its name and time, and the digest of what was compressed."""
    whole = hashlib.sha256()
    buffer = io.BytesIO()
    with open(path, "rb") as source, gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=6, mtime=0) as packed:
        while block := source.read(1 << 20):
            whole.update(block)
            packed.write(block)
    return buffer.getvalue(), "sha256:" + whole.hexdigest()


def configuration(options, created, diff_id):
    return {
        "created": created,
        "architecture": options.architecture,
        "os": "linux",
        "config": {
            "User": options.user,
            "Entrypoint": ["/usr/sbin/shelfd"],
            "Cmd": ["--config", "/etc/shelfd/shelfd.toml"],
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
            "Volumes": {"/var/lib/shelfd/mirrors": {}, "/var/lib/shelfd/tokens": {}},
            "WorkingDir": "/",
            "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": "shelfd",
                "org.opencontainers.image.version": options.version,
                "org.opencontainers.image.description": "Local SQLite mirrors of libraries behind a web API",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [diff_id]},
        "history": [{"created": created, "created_by": "contrib/container/build"}],
    }


def write_archive(path, files, stamp):
    with open(path + ".new", "wb") as target, tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            entry.mtime = stamp
            tar.addfile(entry, io.BytesIO(files[name]))
    shutil.move(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("root", "version", "architecture", "user", "output"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    stamp = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    layer, diff_id = compressed(options.root)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp))
    files = {}

    def stored(data, kind):
        digest = digest_of(data)
        files["blobs/sha256/" + digest.split(":")[1]] = data
        return {"mediaType": LAYOUT + kind, "digest": digest, "size": len(data)}

    def in_json(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    manifest = {
        "schemaVersion": 2,
        "mediaType": LAYOUT + "manifest.v1+json",
        "config": stored(in_json(configuration(options, created, diff_id)), "config.v1+json"),
        "layers": [stored(layer, "layer.v1.tar+gzip")],
    }
    entry = stored(in_json(manifest), "manifest.v1+json")
    entry["platform"] = {"architecture": options.architecture, "os": "linux"}
    # The name that `podman load` and `docker load` give it; the examples beside this file use it.
    entry["annotations"] = {"org.opencontainers.image.ref.name": "localhost/shelfd:" + options.version}
    files["index.json"] = in_json({"schemaVersion": 2, "manifests": [entry]})
    files["oci-layout"] = in_json({"imageLayoutVersion": "1.0.0"})
    write_archive(options.output, files, stamp)


if __name__ == "__main__":
    main()
