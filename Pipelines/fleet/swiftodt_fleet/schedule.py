"""Schedules the tasks. Keeps only the files in progress in memory, so that memory does not grow with the number of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from .file_cache import Identity
from .errors import BadFile, Cancelled, Crash, WorkerLost, RunError, Unreachable, Usage, is_disk_full
from .inference import Video
from .segments import RecordingMismatch, SegmentResult, Span
from .planning import Plan
from .settings import Settings
from .storage import public_address, without_secrets

# The number of workers that a file may crash before it is set aside.
TRIES = 3
# If this many files fail before the first one succeeds, the run ends, because the cause is probably not in the files. Files of earlier
# runs and unreachable files do not count.
SUSPICION = 10


class Executor(Protocol):
    """Runs tasks: `Tasks`, or a fake in tests."""

    @property
    def cores(self) -> int: ...
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any: ...
    def first_done(self, handles: list[Any], patience: float) -> list[Any]: ...
    def cancel(self, handle: Any) -> None: ...
    def result(self, handle: Any) -> Any: ...


@dataclass(frozen=True)
class Work:
    """The functions that process a file, in this order. The first three run as tasks, the last two in the scheduling process."""

    settings: Settings
    plan: Callable[[str, Settings], Plan]
    infer: Callable[[Video, Settings, Span], SegmentResult]
    finish: Callable[[Video, Settings, list[Span]], dict[str, Any]]
    plan_whole: Callable[[Video, Settings], Plan]
    set_aside: Callable[[str, Settings, str, bool, Identity | None], bool]


@dataclass
class Totals:
    """The counts of a run."""

    done: int = 0
    already: int = 0
    set_aside: int = 0
    seconds: float = 0.0


@dataclass
class ActiveFile:
    """A file in progress."""

    address: str
    plan: Plan | None = None
    seen: dict[int, SegmentResult] = field(default_factory=dict)
    tries: dict[tuple[str, int], int] = field(default_factory=dict)
    handles: dict[Any, tuple[str, int]] = field(default_factory=dict)
    # The reason why the file is abandoned, and whether the next run should try it again.
    trouble: tuple[str, bool] | None = None
    is_unreachable: bool = False
    is_misfit: bool = False
    is_planned_whole: bool = False

    @property
    def is_over(self) -> bool:
        return self.trouble is not None or self.is_misfit


class Schedule:
    """Keeps all cores busy: starts files in their order and distributes the parts of a file."""

    def __init__(self, executor: Executor, work: Work, tell: Callable[[Totals], None], complain: Callable[[str], None]) -> None:
        self.executor, self.work, self.tell, self.complain = executor, work, tell, complain
        self.totals = Totals()
        self.failures = 0
        self.owners: dict[Any, ActiveFile] = {}
        self.addresses_at_work: set[str] = set()

    def run(self, addresses: Iterator[str]) -> Totals:
        """Runs until every file is done or set aside.

        :raises RunError: if results cannot be written, a machine cannot process videos, or the first ten new files fail; Usage if odt
            rejects the settings.
        """
        is_more = True
        while True:
            # Some tasks wait in Ray's queue, so that no core waits for this loop.
            while is_more and len(self.owners) < 2 * self.executor.cores + 4:
                address = next(addresses, None)
                is_more = address is not None
                if address is not None and address not in self.addresses_at_work:
                    self.addresses_at_work.add(address)
                    self.begin(ActiveFile(address), "plan", 0)
            if not self.owners:
                return self.totals
            for handle in self.executor.first_done(list(self.owners), 0.5):
                self.settle(handle)
            self.tell(self.totals)

    def begin(self, file: ActiveFile, step: str, number: int) -> None:
        work = self.work
        if step == "plan":
            handle = self.executor.submit(work.plan, file.address, work.settings)
        else:
            assert file.plan is not None
            if step == "infer":
                handle = self.executor.submit(work.infer, file.plan.video, work.settings, file.plan.spans[number])
            else:
                handle = self.executor.submit(work.finish, file.plan.video, work.settings, file.plan.spans)
        file.handles[handle] = (step, number)
        self.owners[handle] = file

    def settle(self, handle: Any) -> None:
        """Handles the end of a task."""
        file = self.owners.pop(handle)
        step, number = file.handles.pop(handle)
        try:
            result = self.executor.result(handle)
        except (RunError, Usage):
            raise
        except Cancelled:
            pass
        except RecordingMismatch:
            file.is_misfit = True
        except Unreachable as error:
            file.is_unreachable = True
            self.stop(file, str(error), True)
        except BadFile as error:
            self.stop(file, str(error), False)
        except (Crash, WorkerLost) as error:
            self.try_again(file, step, number, error)
        except Exception as error:
            if is_disk_full(error):
                raise RunError(f"{public_address(file.address)} cannot be processed: {without_secrets(str(error))}; free space in the temporary folder, or set TMPDIR") from error
            # An unexpected error affects only this file.
            self.stop(file, f"{type(error).__name__}: {without_secrets(str(error))}", True)
        else:
            if not file.is_over:
                self.advance(file, step, number, result)
        if file.is_over and not file.handles:
            self.leave(file)

    def advance(self, file: ActiveFile, step: str, number: int, result: Any) -> None:
        if step == "plan":
            self.take_up(file, result)
        elif step == "infer":
            file.seen[number] = result
            # Adjacent parts must overlap in the same frames, as in one pass over the video. A mismatch shows as soon as both parts are there.
            pairs = ((file.seen.get(at), file.seen.get(at + 1)) for at in (number - 1, number))
            if any(before and after and not before.fits(after) for before, after in pairs):
                file.is_misfit = True
                self.cancel(file)
            else:
                self.finish_if_seen(file)
        else:
            self.totals.done += 1
            self.totals.seconds += result["seconds"]
            self.addresses_at_work.discard(file.address)

    def take_up(self, file: ActiveFile, plan: Plan) -> None:
        if plan.done is not None or plan.set_aside is not None:
            self.totals.already += 1
            self.addresses_at_work.discard(file.address)
            if plan.set_aside is not None:
                self.totals.set_aside += 1
                self.complain(f"{public_address(file.address)} stays set aside: {plan.set_aside}")
            return
        file.plan, file.seen = plan, dict(plan.seen)
        if plan.bad is not None:
            self.stop(file, plan.bad, False)
            return
        for number in range(len(plan.spans)):
            if number not in file.seen:
                self.begin(file, "infer", number)
        self.finish_if_seen(file)

    def finish_if_seen(self, file: ActiveFile) -> None:
        assert file.plan is not None
        if len(file.seen) == len(file.plan.spans):
            self.begin(file, "finish", 0)

    def try_again(self, file: ActiveFile, step: str, number: int, error: Exception) -> None:
        tries = file.tries[step, number] = file.tries.get((step, number), 0) + 1
        if file.is_over:
            return
        if tries < TRIES:
            self.begin(file, step, number)
        else:
            self.stop(file, f"{error}, {tries} times", False)

    def stop(self, file: ActiveFile, reason: str, again: bool) -> None:
        file.trouble = file.trouble or (reason, again)
        self.cancel(file)

    def cancel(self, file: ActiveFile) -> None:
        for handle in file.handles:
            self.executor.cancel(handle)

    def leave(self, file: ActiveFile) -> None:
        """All tasks of a failed file have ended: plans it once as a single part, or sets it aside."""
        # A single part, too, is inferred again, because the recording of an earlier run may be damaged.
        if file.trouble is None and file.plan is not None and not file.is_planned_whole:
            file.is_misfit, file.is_planned_whole = False, True
            self.take_up(file, self.work.plan_whole(file.plan.video, self.work.settings))
            return
        reason, again = file.trouble or ("its recording is incomplete or damaged", False)
        self.addresses_at_work.discard(file.address)
        self.totals.set_aside += 1
        self.complain(f"{public_address(file.address)} is set aside: {reason}")
        is_new = self.work.set_aside(file.address, self.work.settings, reason, again, file.plan.video.identity if file.plan else None)
        self.failures += is_new and not file.is_unreachable
        if self.totals.done == 0 and self.failures >= SUSPICION:
            raise RunError(f"the first {SUSPICION} new files all failed, so the files are probably not the cause. The last error: {reason}")
