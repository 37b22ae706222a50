-- A watchlist is null until its customer changes it. An empty one could not be told from that before.
alter table customers alter column watchlist drop not null, alter column watchlist drop default;
update customers set watchlist = null where watchlist = '{}';
