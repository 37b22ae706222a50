-- Where a customer has logged in before: asked for at every login, so that a crowd of strangers holds up nobody there (decision 119).
create index login_events_known_places on login_events (customer_id, at) where is_success;
