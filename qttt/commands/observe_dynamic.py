"""``qttt observe --dynamic``: a demonstration of a circuit that chooses the mode of observation by itself."""

from argparse import Namespace

from qttt.commands.arguments import device_of
from qttt.commands.devicejobs import confirm
from qttt.commands.deviceplans import progress
from qttt.commands.observe_device import show_dry_run
from qttt.commands.observed import observe_report, show_observation
from qttt.commands.session import Session
from qttt.dynamic import Policy, compile_dynamic, read_dynamic
from qttt.errors import UsageError
from qttt.game import Game
from qttt.outcomes import Observation, Positions, filled_squares
from qttt.record import Record
from qttt.recordfile import save_record
from qttt.samples import sample_of, service_errors

SHOTS = 100
"""A measurement in the middle makes the simulation of a device start anew for every shot."""


def observe_dynamic(game: Game, record: Record, arguments: Namespace, session: Session) -> int:
    """Run the demonstration in which the circuit chooses the mode; its job is not kept on disk."""
    from circuits.backends.ibm_dynamic import dynamic_check

    if arguments.mode is not None:
        raise UsageError("--dynamic lets the circuit choose the mode, so --mode cannot")
    policy = Policy(arguments.dynamic)
    compiled = compile_dynamic(game, policy)
    assert compiled.readout is not None
    observer = device_of(arguments, session)
    local = observer.backend.local
    with progress(session, local) as notify, service_errors():
        # Before anything is compiled or asked: hours in a queue for a refusal would be no demonstration.
        dynamic_check(compiled.circuit, observer.backend.device)
        plan = observer.plan_circuit(
            compiled.circuit, compiled.readout, str(policy), arguments.shots or SHOTS, notify
        )
    if arguments.dry_run:
        show_dry_run(plan, observer, arguments, session)
        return 0
    confirm(plan, observer, session, arguments.yes)
    with progress(session, local) as notify:
        (shots,) = observer.run(plan, session.generator(arguments.seed), notify)
    sample = sample_of(read_dynamic(game.state, policy, compiled.readout, shots))
    positions = Positions(filled_squares(sample.first))
    game.push(positions)
    game.push(Observation(sample.first, policy.mode(positions)))
    record = record.updated(game)
    if arguments.save is not None:
        save_record(arguments.save, record)
    report = {
        **observe_report(game, record, sample, observer.name),
        "kinds": dict(sorted(sample.kinds.items())),
        "policy": str(policy),
    }
    if arguments.json:
        session.write_json(report)
    else:
        show_observation(game, report, arguments.save, session, [f"The circuit chose: {policy}."])
    return 0
