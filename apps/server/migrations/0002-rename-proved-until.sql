-- A session of staff is proved for 15 minutes after a step-up. "Fresh" means one thing: a customer's session in use.
alter table staff_sessions rename column fresh_until to proved_until;
-- PostgreSQL 18 names the constraint by its column, and a renamed column keeps the old name.
alter table staff_sessions alter column proved_until drop not null, alter column proved_until set not null;

-- Their results and parameters change; the files of schema/ make them again. A new database does not have them yet.
drop function if exists staff_session_look(bytea);
drop function if exists staff_session_show(bytea, boolean, boolean);
