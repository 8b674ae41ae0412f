"""What a backend is, what more a device is, and who offers them: three protocols.

A *backend* takes measured circuits and gives bits; it needs to know nothing of the game. A *device* is a
backend with gates and errors of its own: circuits are compiled for it, and run as jobs that can outlive the
program. A *provider* names backends and gives them. `circuits.backends.providers` finds all of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from circuits.backends.progress import Notify

if TYPE_CHECKING:
    import numpy as np
    from qiskit.circuit import QuantumCircuit

    from circuits.backends.job_store import Job
    from circuits.backends.noise import ReportedErrors
    from circuits.backends.plans import BackendRow, Fetched, JobOptions, Prepared
    from circuits.decoding import Shots
    from circuits.measurement import Readout

ReadoutErrors = tuple[tuple[float, float], ...]
"""For each bit of `pos`, `mark` and `flag`, in this order, the probabilities of
reading 1 for 0, and 0 for 1."""


@runtime_checkable
class Backend(Protocol):
    """A machine or a simulator that runs circuits."""

    @property
    def name(self) -> str:
        """The name by which `get_backend` finds it."""
        ...

    def run(
        self, circuits: "Sequence[QuantumCircuit]", shots: int, rng: "np.random.Generator"
    ) -> "list[Shots]":
        """Run every circuit and return its bits.

        Args:
            circuits: measured circuits, not compiled, whose classical registers are among `pos`, `mark` and
                `flag`.
            shots: how often each of them runs, at least once.
            rng: where seeds come from; equal states of it give equal shots, on backends that can be seeded.

        Returns:
            One `circuits.decoding.Shots` a circuit, in the order given, each of `shots` rows in the order
            measured; column i is bit i of its register.

        Raises:
            BackendUsageError: the request makes no sense, such as fewer than one shot.
            BackendError: the backend failed.
        """
        ...


class SentJob(Protocol):
    """A job on its way. All of its state that matters is in its file."""

    @property
    def job(self) -> "Job":
        """The job, as it is in the file."""
        ...

    def wait(
        self,
        notify: Notify = ...,
        timeout: float | None = None,
        sleep: Callable[[float], None] = ...,
    ) -> "list[Shots]":
        """Wait for the result and put it into the file.

        Args:
            notify: told of every change of status, and of the queue.
            timeout: seconds to wait; None is for ever. A job that is not done by then goes on.
            sleep: how to wait between questions to a service.

        Returns:
            The shots of every circuit, in order.

        Raises:
            BackendError: the job failed or was cancelled, the service cannot be reached, or the time is over.
        """
        ...


@runtime_checkable
class Device(Backend, Protocol):
    """A backend with gates and errors of its own, which runs jobs.

    `circuits.backends.qiskit_device.QiskitDevice` makes one of any `BackendV2` of Qiskit's.
    """

    @property
    def local(self) -> bool:
        """Whether its jobs run within this program; a job of any other is shown and asked for first."""
        ...

    def describe(self) -> "BackendRow":
        """Its line in the list of backends."""
        ...

    def compile(self, circuit: "QuantumCircuit", seeds: int, first: int = 0) -> "QuantumCircuit":
        """Compile a circuit into its own gates, on its own qubits, as the likeliest of several to succeed.

        Args:
            circuit: a measured circuit.
            seeds: with how many seeds to try; the result is the same every time.
            first: the first of them.

        Raises:
            BackendUsageError: it has too few qubits, or not the gates that the circuit needs.
        """
        ...

    def in_bases(
        self, compiled: "QuantumCircuit", angles: Mapping[int, float], register: str = "mark"
    ) -> "QuantumCircuit":
        """Measure bits of a compiled coherent circuit along other axes.

        Args:
            compiled: from ``compile``, of a lean circuit in the encoding ``coherent`` and in standard mode.
            angles: for bits of the register the angle θ of the axis cos θ Z + sin θ X, in radians; π/2 is
                the rotated mode.
            register: the register of these bits.

        Returns:
            The same gates on the same qubits, and before each of these measurements one more rotation.
        """
        ...

    def merit(self, compiled: "QuantumCircuit") -> float:
        """A number that is larger the likelier a compiled circuit is to have no fault.

        A device that reports no errors counts as if all of its errors were equal.
        """
        ...

    def check_dynamic(self, circuit: "QuantumCircuit") -> None:
        """Refuse a circuit that acts on its own measurements in a way that the device does not.

        Raises:
            BackendUsageError: it is one.
        """
        ...

    def readout_errors(self, compiled: "QuantumCircuit") -> ReadoutErrors:
        """How each bit of a compiled circuit is misread.

        Raises:
            BackendUsageError: the device reports no such errors, or a bit is never measured.
        """
        ...

    def reported_errors(self, compiled: "QuantumCircuit") -> "ReportedErrors | None":
        """The errors that it reports of a compiled circuit's gates and measurements.

        None if it does not report all of them, or if the circuit acts on its own measurements.
        """
        ...

    def prepare(
        self,
        circuits: "Sequence[QuantumCircuit]",
        shots: int,
        *,
        labels: Sequence[str] = (),
        readouts: "Sequence[Readout | None]" = (),
        options: "JobOptions | None" = None,
        compiled: bool = False,
        notify: Notify = ...,
    ) -> "Prepared":
        """Compile circuits and say what running them will cost. Nothing is sent.

        Args:
            circuits: measured circuits whose classical registers are among `pos`, `mark` and `flag`.
            shots: shots of each.
            labels: a name for each, or none at all.
            readouts: how to read each, or none at all.
            options: how to run them.
            compiled: the circuits are in the device's own gates and qubits already, and stay as they are.
            notify: told of retries and remarks.

        Raises:
            BackendUsageError: no circuit, fewer than one shot, another register, too few qubits, or a circuit
                that the device would refuse.
            BackendError: the account or the service failed.
        """
        ...

    def write_down(
        self,
        prepared: "Prepared",
        seed: int,
        path: str | PathLike[str] | None = None,
        payload: Mapping[str, Any] | None = None,
    ) -> "Job":
        """Make a job and its file, and send nothing.

        A caller who keeps a note of the job makes it between this and `send`: then neither a note without a
        file nor a job without a note can be left by a crash.

        Args:
            prepared: what `prepare` returned.
            seed: 0 to 2**31 - 1; equal seeds give equal shots on a simulated device.
            path: where the job file goes, or None for no file (and no way to resume).
            payload: the caller's own data to keep in the file.

        Raises:
            BackendUsageError: a bad seed, another backend's job, or something that cannot be stored.
            BackendError: the file cannot be written.
        """
        ...

    def send(self, job: "Job", path: str | PathLike[str] | None = None, notify: Notify = ...) -> SentJob:
        """Send a job that has been written down; its file knows the job's name afterwards.

        Args:
            job: what `write_down` returned.
            path: its file, or None.
            notify: told of retries and remarks.

        Raises:
            BackendError: the file cannot be written, or the service failed.
        """
        ...

    def refit(self, job: "Job", notify: Notify = ...) -> "Prepared":
        """Prepare a job that was never sent for the device as it is today.

        Args:
            job: what its file holds.
            notify: told of retries and remarks.

        Returns:
            The job with its present cost; compiled again, and a warning says so, where the device has other
            gates or connections by now.

        Raises:
            BackendUsageError: the device does not take it any more.
            BackendError: the account or the service failed.
        """
        ...

    def resume(
        self,
        job: "Job",
        path: str | PathLike[str],
        notify: Notify = ...,
        *,
        wait: bool = True,
        timeout: float | None = None,
        resubmit: "Prepared | None" = None,
        sleep: Callable[[float], None] = ...,
    ) -> "Fetched":
        """Get the result of a job that was sent before, perhaps by another process.

        Args:
            job: what its file holds; it is not over.
            path: the file.
            notify: told of progress.
            wait: whether to wait for a job that is not done.
            timeout: seconds to wait at most.
            resubmit: what `refit` returned: send it if the job never reached the service, instead of saying
                so.
            sleep: how to wait between questions to a service.

        Raises:
            NeverArrivedError: it never arrived, and there is nothing to send.
            BackendError: the job failed, was cancelled or is unknown, or the service failed.
        """
        ...


class Provider(Protocol):
    """Whoever offers backends.

    One whose jobs can be fetched when their device is gone has `resume` too, as `Device` has it.
    """

    def names(self) -> Iterable[str]:
        """The names of its backends, of letters, digits, `_` and `-`; `acme_*` stands for a family."""
        ...

    def get(self, name: str) -> object:
        """The backend of a name, or of one in a family: a `Backend`, a `Device`, or Qiskit's `BackendV2`.

        Raises:
            Exception: there is none, or it cannot be reached; the first line of the message is shown.
        """
        ...


class AccountState(Protocol):
    """What an account's jobs are charged to."""

    @property
    def instance(self) -> str | None:
        """The name of the instance."""
        ...

    @property
    def plan(self) -> str | None:
        """The plan of the instance."""
        ...

    @property
    def paid(self) -> bool | None:
        """Whether that plan costs money; None if unknown."""
        ...


class AccountKeeper(Protocol):
    """Who keeps the account of a service on this computer."""

    def check_key(self, token: str) -> None:
        """Refuse what cannot be a key.

        Raises:
            BackendUsageError: it cannot.
        """
        ...

    def try_account(self, token: str, instance: str | None = None, notify: Notify = ...) -> AccountState:
        """Log in with a key that is not saved yet.

        Raises:
            BackendError: it does not work, or could not be tried (`UnreachableError`).
        """
        ...

    def save_account(self, token: str, instance: str | None = None) -> None:
        """Save a key in place of an older one.

        Raises:
            CircuitsError: it cannot be saved.
        """
        ...
