"""A stand-in for IBM's cloud at the lowest layer: it answers HTTP requests; everything above is IBM's own.

`install` replaces `requests.adapters.HTTPAdapter.send`, so the client, its log-in, its jobs, its errors and
its decoders are the real ones, and no request leaves the process. Jobs are decoded as the service would, run
without noise by the client's own local executor, and encoded as the service does.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import numpy as np
import pytest
import requests
from ibm_quantum_schemas.common import CompressedTensorModel  # type: ignore[import-untyped]
from ibm_quantum_schemas.executor.version_2_0 import (  # type: ignore[import-untyped]
    QuantumProgramResultModel,
)
from qiskit_aer import AerSimulator
from qiskit_ibm_runtime.fake_provider.executor.run_quantum_program import run_quantum_program
from qiskit_ibm_runtime.options_models.simulator import SimulatorOptions
from qiskit_ibm_runtime.quantum_program.params_converters import QUANTUM_PROGRAM_PARAMS_CONVERTERS
from tenacity import wait_none

from circuits.backends.ibm import errors
from circuits.backends.ibm.devices import _snapshots

TOKEN = "secret-key-0123456789-abcdef"
CRN = "crn:v1:bluemix:public:quantum-computing:us-east:a/1234:5678::"
OTHER_CRN = "crn:v1:bluemix:public:quantum-computing:eu-de:a/1234:9999::"

Answer = tuple[int, Any]


class Service:
    """What the cloud knows, and what it has been asked."""

    def __init__(self) -> None:
        self.keys = {TOKEN}
        self.instances = [{"crn": CRN, "name": "mine", "plan": "open"}]
        self.plans = {"open": ("Open", "free"), "premium": ("Premium", "subscription")}
        self.devices = {"ibm_torino": "fake_torino", "ibm_manila": "fake_manila"}
        self.queues = {"ibm_torino": 7, "ibm_manila": 2}
        self.conditions: dict[str, tuple[bool, str]] = {}
        """Whether a device takes jobs, and what it says of itself, where that is not that it is active."""
        self.charged: float | None = 2.0
        """Quantum seconds of every job; None while the service has not reckoned."""
        self.jobs: dict[str, dict[str, Any]] = {}
        self.usage = {"usage_consumed_seconds": 60, "usage_limit_seconds": 600}
        self.estimate: float | None = 3.5
        self.asked: list[str] = []
        self.faults: list[Callable[[str, str], Answer | None]] = []
        """Each sees method and path first, and may answer, or raise, instead of the cloud."""
        self.statuses: dict[str, list[str]] = {}
        """Statuses that a job goes through before it runs."""
        self.first_statuses: list[str] = []

    def answer(self, request: requests.PreparedRequest) -> Answer:
        """Return status and body."""
        url = urlsplit(str(request.url))
        method, path = str(request.method), url.path
        self.asked.append(f"{method} {path}")
        for fault in list(self.faults):
            trouble = fault(method, path)
            if trouble is not None:
                return trouble
        body = request.body.decode() if isinstance(request.body, bytes) else str(request.body or "")
        if path.endswith("/identity/token"):
            return self._token(body)
        if path.endswith("/v3/resources/search"):
            return 200, {"items": [self._item(row) for row in self.instances]}
        if "globalcatalog" in str(url.hostname):
            name, pricing = self.plans[path.rsplit("/", 1)[1]]
            return 200, {
                "overview_ui": {"en": {"display_name": name}},
                "metadata": {"pricing": {"type": pricing}},
            }
        parts = path.split("/api/v1/", 1)[1].split("/")
        match [method, *parts]:
            case ["GET", "instances", "usage"]:
                return 200, self.usage
            case ["GET", "backends"]:
                return 200, {"devices": [self._device(name) for name in self.devices]}
            case ["GET", "backends", name, what]:
                return self._about(name, what)
            case ["POST", "jobs"]:
                return self._submit(json.loads(body))
            case ["GET", "jobs"]:
                tags = parse_qs(url.query).get("tags", [])
                found = [job for job in self.jobs.values() if set(tags) <= set(job["tags"])]
                return 200, {"jobs": [self._public(job) for job in found], "count": len(found)}
            case ["GET", "jobs", name]:
                return self._job(name, self._public)
            case ["GET", "jobs", name, "metrics"]:
                status = "pending" if self.charged is None else "completed"
                return 200, {"usage": {"status": status, "qpu_charge_time_seconds": self.charged}}
            case ["GET", "jobs", name, "results"]:
                return self._job(name, lambda job: job["result"])
            case ["POST", "jobs", name, "cancel"]:
                self.jobs[name]["state"] = {"status": "Cancelled", "reason": "asked to"}
                return 204, ""
        raise AssertionError(f"the stand-in has no answer to {method} {path}")

    def _token(self, body: str) -> Answer:
        if parse_qs(body).get("apikey", [""])[0] not in self.keys:
            return 400, {"errorCode": "BXNIM0415E", "errorMessage": "Provided API key could not be found."}
        now = int(time.time())
        token = jwt.encode({"iat": now, "exp": now + 3600}, "k" * 40)
        return 200, {
            "access_token": token,
            "expires_in": 3600,
            "expiration": now + 3600,
            "refresh_token": "r",
        }

    def _item(self, row: dict[str, str]) -> dict[str, Any]:
        return {
            "crn": row["crn"],
            "name": row["name"],
            "service_plan_unique_id": row["plan"],
            "doc": {"extensions": [{"backends": "all"}]},
            "tags": [],
        }

    def _device(self, name: str) -> dict[str, Any]:
        configuration = self._snapshot(name, "conf")
        return {
            "name": name,
            "qubits": configuration["n_qubits"],
            "status": {"name": "online"},
            "queue_length": self.queues[name],
        }

    def _snapshot(self, name: str, kind: str) -> dict[str, Any]:
        folder: Path = _snapshots()[self.devices[name]]
        data: dict[str, Any] = json.loads(next(folder.glob(f"{kind}_*.json")).read_text(encoding="utf-8"))
        return data | {"backend_name": name}

    def _about(self, name: str, what: str) -> Answer:
        if name not in self.devices:
            return 404, {"error": {"message": "no such device", "code": 1}}
        if what == "status":
            state, said = self.conditions.get(name, (True, "active"))
            return 200, {"state": state, "status": said, "length_queue": self.queues[name]}
        return 200, self._snapshot(name, {"configuration": "conf", "properties": "props"}[what])

    def _submit(self, payload: dict[str, Any]) -> Answer:
        name = f"job{len(self.jobs):04d}"
        self.jobs[name] = {
            "id": name,
            "backend": payload["backend"],
            "program": {"id": payload["program_id"]},
            "tags": payload.get("tags", []),
            "created": "2026-01-01T00:00:00Z",
            "state": {"status": "Queued"},
            "estimated_running_time_seconds": self.estimate,
            "params": payload["params"],
            "cost": payload.get("cost"),
        }
        self.statuses[name] = list(self.first_statuses)
        return 200, {"id": name, "backend": payload["backend"]}

    def _public(self, job: dict[str, Any]) -> dict[str, Any]:
        waiting = self.statuses.get(job["id"], [])
        if waiting:
            job["state"] = {"status": waiting.pop(0)}
        elif job["state"]["status"] in ("Queued", "Running"):
            job["state"] = {"status": "Completed"}
            job["result"] = run(job["params"])
        return {key: value for key, value in job.items() if key not in ("params", "result")}

    def _job(self, name: str, view: Callable[[dict[str, Any]], Any]) -> Answer:
        if name not in self.jobs:
            return 404, {"error": {"message": "Job not found.", "code": 1291}}
        return 200, view(self.jobs[name])

    def end(self, name: str, status: str, reason: str, code: int | None = None, result: str = "") -> None:
        """Give a job its end."""
        self.statuses[name] = []
        self.jobs[name]["state"] = {"status": status, "reason": reason} | (
            {"reason_code": code} if code else {}
        )
        self.jobs[name]["result"] = result


def run(params: dict[str, Any]) -> str:
    """Run a job's parameters without noise and return the result as the service writes it."""
    version = params["schema_version"]
    converter = QUANTUM_PROGRAM_PARAMS_CONVERTERS[version]
    program, _ = converter.decoder(converter.model.model_validate(params))
    for item in program.items:
        if getattr(item, "circuit_arguments", None) is not None and not item.circuit.num_parameters:
            item.circuit_arguments = None
        if hasattr(item, "samplex"):
            item.samplex.finalize()
    result = run_quantum_program(AerSimulator(), program, SimulatorOptions(seed_simulator=11))
    data = [
        {
            "results": {
                name: CompressedTensorModel.from_numpy(np.asarray(array)).model_dump(mode="json")
                for name, array in item.items()
            },
            "metadata": {},
        }
        for item in result
    ]
    whole = {
        "schema_version": version,
        "data": data,
        "metadata": {"chunk_timing": []},
        "passthrough_data": params["quantum_program"]["passthrough_data"],
        "semantic_role": "sampler_v2",
    }
    text: str = QuantumProgramResultModel.model_validate(whole).model_dump_json()
    return text


def install(monkeypatch: pytest.MonkeyPatch, home: Path, service: Service | None = None) -> Service:
    """Put a cloud in place of the network, and an empty home in place of the user's."""
    service = service or Service()

    def send(
        _adapter: requests.adapters.HTTPAdapter, request: requests.PreparedRequest, **_options: object
    ) -> requests.Response:
        status, body = service.answer(request)
        response = requests.Response()
        response.status_code = status
        response.url = str(request.url)
        response.request = request
        response.reason = "OK" if status < 400 else "Refused"
        response.headers["Content-Type"] = "application/json"
        response._content = (body if isinstance(body, str) else json.dumps(body)).encode()
        return response

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)
    monkeypatch.setattr(errors, "_WAIT", wait_none())
    monkeypatch.setenv("HOME", str(home))
    # The client reads its whole call stack for every request otherwise.
    monkeypatch.setenv("USAGE_DATA_OPT_OUT", "True")
    monkeypatch.setattr(
        "qiskit_ibm_runtime.accounts.management._DEFAULT_ACCOUNT_CONFIG_JSON_FILE",
        str(home / ".qiskit" / "qiskit-ibm.json"),
    )
    for name in ("QISKIT_IBM_TOKEN", "QISKIT_IBM_CHANNEL", "QISKIT_IBM_INSTANCE", "QISKIT_IBM_URL"):
        monkeypatch.delenv(name, raising=False)
    return service
