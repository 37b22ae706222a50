-- The holder of an account objects to a claim, and its claimant reads its state. Two members of staff refuse a claim.
alter table recovery_requests add column objected_at timestamptz;
alter table recovery_requests add column status_hash bytea;
create unique index recovery_requests_status on recovery_requests (status_hash);
drop function if exists account_take_back(bigint, bytea, text, text, inet);
