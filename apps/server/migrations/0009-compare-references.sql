-- The normal form of a payment's reference, so that two spellings count as one payment: compatible forms of a character are one
-- (NFKC), without ASCII spaces and punctuation and the two Chinese characters that are a stroke, in lower case, with o as 0 and i and l as 1.
create or replace function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select translate(lower(regexp_replace(normalize(_reference, NFKC), '[\u0001-/:-@\[-`{-\u007f\u4e00\u4e28]', '', 'g') collate "C"), 'oil', '011')
$$;

drop index deposit_requests_by_evidence;
create unique index deposit_requests_by_evidence on deposit_requests (asset_id, reference_key(evidence)) where status = 'success';
drop index withdrawal_requests_by_reference;
create unique index withdrawal_requests_by_reference on withdrawal_requests (asset_id, reference_key(reference)) where status = 'success';
