-- How often a lease was taken from a holder that had neither renewed nor released it.
alter table leases add column lost bigint not null default 0;
alter table log_head add column lost bigint not null default 0;
