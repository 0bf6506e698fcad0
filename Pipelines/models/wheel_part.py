"""Reads single files from a wheel on the package index, without downloading all of it.

A wheel is a zip file, with its directory at the end. An index that supports range requests sends single files of it. If it does not,
`fetch` returns None, and the caller downloads the whole wheel.
"""
import base64
import http.client
import io
import json
import os
import re
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib

PAGE = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
SECONDS = 60


def setting(pip, name):
    """Returns a setting of pip, from its environment variable or its configuration files."""
    told = os.environ.get("PIP_" + name.upper().replace("-", "_"))
    for section in ("download", "global"):
        if not told:
            asked = subprocess.run([*pip, "config", "get", f"{section}.{name}"], capture_output=True, text=True,
                                   stdin=subprocess.DEVNULL)
            told = asked.stdout.strip() if asked.returncode == 0 else None
    return told


def usual_index(pip):
    """Returns the address of pip's default index, from its help text."""
    said = subprocess.run([*pip, "download", "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    usual = re.search(r"\(default\s+(https?://[^\s)]+)\)", said)
    if not usual:
        raise LookupError("pip's help does not name a default index")
    return usual[1]


class Index:
    """The package index that pip uses. Its address may hold a user name and a password, which are sent only to its host."""

    def __init__(self, pip):
        parts = urllib.parse.urlsplit((setting(pip, "index-url") or usual_index(pip)).rstrip("/"))
        userinfo, _, host = parts.netloc.rpartition("@")
        self.address = parts._replace(netloc=host).geturl()
        user, _, password = map(urllib.parse.unquote, userinfo.partition(":"))
        self.authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode() if userinfo else None
        trusted = setting(pip, "cert")
        self.context = ssl.create_default_context(cafile=trusted if trusted and os.path.isfile(trusted) else None)

    def open(self, address, **headers):
        request = urllib.request.Request(address, headers={"User-Agent": "swiftodt", **headers})
        if self.authorization and urllib.parse.urlsplit(address)[:2] == urllib.parse.urlsplit(self.address)[:2]:
            request.add_unredirected_header("Authorization", self.authorization)
        return urllib.request.urlopen(request, timeout=SECONDS, context=self.context)

    def find(self, package, file):
        """Returns the address of a package's file."""
        page = f"{self.address}/{re.sub('[-_.]+', '-', package).lower()}/"
        with self.open(page, Accept=PAGE) as answer:
            text, page = answer.read().decode(), answer.geturl()
            if "json" in answer.headers.get("Content-Type", ""):
                links = [one["url"] for one in json.loads(text)["files"]]
            else:
                links = re.findall(r'href="([^"]+)"', text)
        for link in links:
            address = urllib.parse.urljoin(page, link.replace("&amp;", "&"))
            if urllib.parse.urlsplit(address).path.endswith("/" + file):
                return urllib.parse.urlsplit(address)._replace(fragment="").geturl()
        raise LookupError(file)


class RemoteFile(io.RawIOBase):
    """A read-only file at an address. Reading it requests only the needed ranges."""

    def __init__(self, index, address):
        self.index, self.address, self.place, self.received = index, address, 0, 0
        self.size = None
        self.tail = self.part("bytes=-65536")

    def part(self, span):
        with self.index.open(self.address, Range=span) as answer:
            whole = re.fullmatch(r"bytes \d+-\d+/(\d+)", answer.headers.get("Content-Range", ""))
            if answer.status != 206 or not whole:
                raise OSError("the index does not support range requests")
            self.size = int(whole[1])
            content = answer.read()
        self.received += len(content)
        return content

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        self.place = offset + (0, self.place, self.size)[whence]
        return self.place

    def readinto(self, buffer):
        count = min(len(buffer), max(0, self.size - self.place))
        if count == 0:
            return 0
        before = self.size - len(self.tail)
        content = (self.tail[self.place - before:][:count] if self.place >= before
                   else self.part(f"bytes={self.place}-{self.place + count - 1}"))
        buffer[:len(content)] = content
        self.place += len(content)
        return len(content)


# All errors of the transport and of the archive.
MISSED = OSError, ValueError, LookupError, TypeError, http.client.HTTPException, zipfile.BadZipFile, zlib.error


def reach(package, file, pip):
    """Opens a wheel as an archive. Returns it and the remote file, which counts the received bytes."""
    index = Index(pip)
    remote = RemoteFile(index, index.find(package, file))
    # The buffer size is the size of a range request: one request for a small file, a few for a large one.
    return zipfile.ZipFile(io.BufferedReader(remote, 1 << 20)), remote


def fetch(package, file, member, pip):
    """Returns the bytes of one file and the number of received bytes, or `None` if the index cannot provide it."""
    try:
        archive, remote = reach(package, file, pip)
        with archive:
            return archive.read(member), remote.received
    except MISSED:
        return None
