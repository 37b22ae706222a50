-- An account has a country, and its IBAN may end with letters.
alter table bank_cards add column country text check (country ~ '^[A-Z]{2}$'),
  drop constraint bank_cards_last4_check, add constraint bank_cards_last4_check check (last4 ~ '^[0-9A-Z]{4}$');

-- An exclusion covers all accounts with the same identity document, also after the erasure of the customer.
alter table protected_customers add column document_at timestamptz, add column document_until timestamptz,
  add check (num_nulls(document_at, document_until) in (0, 2));
alter table verifications drop constraint verifications_check5,
  add constraint verifications_check5 check (sealed is not null or name_index is null);
