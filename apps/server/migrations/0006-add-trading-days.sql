alter table products
  add column day_zone text not null default 'UTC',
  add column day_from text not null default '00:00' check (day_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$');
