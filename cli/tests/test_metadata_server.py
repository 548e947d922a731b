"""What the machine itself knows: metadata servers on this machine answer as those of the clouds do."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchsite_cli.metadata.clusters import Cluster
from benchsite_cli.metadata.metadata_server import this_machine

IDENTITY = {"instanceType": "m5.xlarge", "region": "eu-west-1", "availabilityZone": "eu-west-1b"}
OF_GCE = {"machine-type": "projects/1/machineTypes/n2-standard-8", "zone": "projects/1/zones/us-central1-a"}


class Metadata(BaseHTTPRequestHandler):
    def do_PUT(self):
        self._answer("t0" if self.server.cloud == "ec2" else None)

    def do_GET(self):
        if self.server.cloud == "ec2":
            self._answer(json.dumps(IDENTITY) if self.headers["X-aws-ec2-metadata-token"] == "t0" else None)
        elif self.headers["Metadata-Flavor"] == "Google":
            self._answer(OF_GCE.get(self.path.rpartition("/")[2]))

    def _answer(self, text):
        body = (text or "").encode()
        self.send_response(200 if text else 404)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Metadata-Flavor", "Google")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def cloud(monkeypatch):
    """A function: this machine is on that cloud, or on none."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Metadata)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"http://{host}")
    monkeypatch.setenv("GCE_METADATA_HOST", host)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    def choose(name):
        server.cloud = name
        if name == "none":
            server.shutdown()
            server.server_close()

    yield choose
    server.shutdown()
    server.server_close()


def test_each_cloud_describes_its_machine(cloud):
    cloud("ec2")
    assert this_machine() == Cluster("aws", 1, "m5.xlarge", "eu-west-1", "eu-west-1b")
    cloud("gce")
    assert this_machine() == Cluster("gce", 1, "n2-standard-8", "us-central1", "us-central1-a")


def test_on_no_cloud_it_is_a_machine_of_its_owner(cloud):
    cloud("none")

    machine = this_machine()

    assert (machine.provider, machine.count, machine.region) == ("on-premises", 1, None)
    assert machine.instance_type
    assert machine.vcpus
