-- The function builds the transfer's key itself; before, a caller could take the key of another movement.
drop function if exists orders_settle(text, bytea, bigint, bigint[], int[], smallint[], smallint[],
  bigint[], bigint[], bigint[], bigint[], bigint[], bigint[]);
