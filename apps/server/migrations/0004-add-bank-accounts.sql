-- An account has a country, and its IBAN may end with letters.
alter table bank_cards add column country text check (country ~ '^[A-Z]{2}$'),
  drop constraint bank_cards_last4_check, add constraint bank_cards_last4_check check (last4 ~ '^[0-9A-Z]{4}$');
