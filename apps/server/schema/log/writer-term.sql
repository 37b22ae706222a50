-- Writer terms: which process may append to the log. The columns epoch, beat, holder and lost of log_head (entries.sql) are the
-- lease. A standby takes it when the beat has stood still for the lease's time (platform/db/lease.ts); log_append fences earlier
-- writers.

-- ## Functions

-- Takes the writer's lease and returns the new epoch. Returns null if the epoch or the beat has changed since the caller read
-- them.
create or replace function log_acquire(_holder text, _seen_epoch bigint, _seen_beat bigint) returns bigint
language sql security definer as $$
  update log_head set epoch = epoch + 1, beat = beat + 1, holder = _holder, lost = lost + (holder is not null)::int
  where epoch = _seen_epoch and beat = _seen_beat returning epoch;
$$;

-- Releases the lease at an orderly end, so that a standby does not wait for it to lapse. From then on no order is taken until
-- another process leads. Batches that are open end first, so that one more append of the caller logs all that was taken. The
-- caller may append until another one leads, which then logs the rest.
create or replace function log_release(_epoch bigint) returns void language sql security definer as $$
  update log_head set holder = null where epoch = _epoch;
  select from placement_head for share;
$$;
