# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Has each call of a driver that a story makes fail in turn: what is told, what is left."""

# Each call of a good run fails by itself, while the others go well. The stories before it name what
# is their own: NAME of the error, OWN calls of the test, QUIET ones; current() and some_stream().
IN_TURN = """
    import sys
    CODE = 719
    told = []
    sys.unraisablehook = lambda args: told.append(args.exc_value)

    driver.release_on_wait()
    def quiet_end():
        gc.collect()
        driver.release_all()
        anystream.synchronize()
        driver.settle()

    def call(story):
        '''Run a story; the error that it raised.'''
        freed.clear()
        told.clear()
        try:
            story()
        except Exception as error:
            found = error.with_traceback(None)
        else:
            found = None
        quiet_end()
        return found

    def lines_of(error, name):
        '''What is missing in what an error says.'''
        text = str(error)
        wanted = (name, NAME, str(CODE), "unspecified launch failure")
        missing = [word for word in wanted if word not in text]
        if not isinstance(error, anystream.DriverError):
            return [repr(error)]
        fields = error.code, error.code_name, error.api.partition("_")[0]
        if error not in told and fields != (CODE, NAME, name):
            missing.append((error.api, error.code, error.code_name))
        return missing

    def try_one(story, name, at, counts):
        before, place = driver.live(), current()
        driver.fail(name, CODE, after=at, times=1)
        raised = call(story)
        failed = driver.failed
        driver.fail_clear()
        after = current()
        told_then = list(told)
        errors = [raised, *told] if raised is not None else told_then
        problems = []
        if failed == 0:  # a question that is asked only where work goes on still
            return problems
        tried.add(name)
        if len(errors) > 1 or (not errors and name not in QUIET):
            problems.append(f"errors: {errors}")
        problems += [line for error in errors for line in lines_of(error, name)]
        if after != place:
            problems.append("another place is current")
        # Where a release fails, memory may be kept for good: it may be in use.
        if counts and len(freed) != 1 and not (told and not freed):
            problems.append(f"freed {len(freed)} times, raised {raised!r}, told {told}")
        again = call(story)
        if again is not None or told or (counts and len(freed) != 1):
            problems.append(f"the next: {again!r}, told {told}, freed {len(freed)}")
        now = driver.live()
        grown = {kind: now[kind] - before[kind] for kind in now if now[kind] > before[kind]}
        if "EventDestroy" in name:  # one that does not go back to the pool is left by that
            grown.pop("events", None)
        if grown and not (told_then and set(grown) <= {"allocations", "events"}):
            problems.append(f"left {grown}")
        return problems

    tried = set()
    def in_turn(story, counts=True):
        # So many events are in the pool that none is made below, whatever keeps some.
        kept = [some_stream().record() for _ in range(60)]
        del kept
        for _ in range(3):
            assert call(story) is None and not told, told
        driver.clear()
        assert call(story) is None
        entries = set(driver.entries()) - OWN
        names = [name for name in names_of(driver.calls()) if name in entries]
        for name in dict.fromkeys(names):
            for at in range(names.count(name)):
                for problem in try_one(story, name, at, counts):
                    print(story.__name__, name, at, problem)
        print(*sorted(tried))
"""
