-- Signed updates of Pyth: what the records of fixes are from. The log's writer inserts them, receipts show them. They decide
-- nothing.

create table signed_updates (
  product_id smallint not null references products,
  -- The number of the record, as fixes have it.
  number bigint not null,
  -- The update with the price of the product's feed alone: about 630 bytes.
  signed bytea not null check (octet_length(signed) between 1 and 1200),
  primary key (product_id, number)
);

-- Not compressed: hashes and signatures do not become smaller.
alter table signed_updates alter column signed set storage external;
