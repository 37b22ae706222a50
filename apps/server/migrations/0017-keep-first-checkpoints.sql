-- The first checkpoint over an `orders` entry is kept for ever, with its cosignatures.
alter table log_checkpoints
  add column is_kept boolean not null default false,
  add column cosigned text not null default '';

create index log_checkpoints_to_drop on log_checkpoints (time_ms) where not is_kept;
