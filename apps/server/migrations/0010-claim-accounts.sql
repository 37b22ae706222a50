-- Taking back opens a claim for two members of staff; it no longer restores former credentials itself.
alter table recovery_requests add column lost_at timestamptz;
create index recovery_requests_claims on recovery_requests (lower(account)) where lost_at is not null;
drop function if exists account_take_back(bigint, bytea, text);
