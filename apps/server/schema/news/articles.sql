-- News: articles for all readers, written by staff of role content or imported from feeds. Functions alone write them.
-- No edit is silent: each save makes a new version, and of a version only its publication time may change, until it has come.
-- A withdrawal is final, and a reader of the article is told of it. Readers see the newest version whose publication time has
-- come.

-- Pictures above articles, re-encoded from the upload. A cover is public once a published article shows it. Its random name can't
-- be guessed before that.
create table news_covers (
  id bigint generated always as identity primary key,
  name text not null unique check (name ~ '^[A-Za-z0-9_-]{32}$'),
  width int not null check (width between 1 and 65535),
  height int not null check (height between 1 and 65535),
  picture bytea not null check (octet_length(picture) between 1 and 2097152),
  thumb bytea not null check (octet_length(thumb) between 1 and 2097152),
  -- Null: part of the demo.
  added_by bigint references staff,
  added_at timestamptz not null default now()
);

create table news_items (
  id bigint generated always as identity (start with 1000) primary key,
  -- Invented for the demo. Live mode shows no samples.
  is_sample boolean not null default false,
  -- The feed from which the article was imported; null: staff wrote it.
  news_feed text check (length(news_feed) between 1 and 500),
  created_at timestamptz not null default now(),
  -- The earliest publication time of its versions, which may lie in the future; null: none has one.
  published_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_by bigint references staff,
  withdrawn_reason text check (length(withdrawn_reason) between 1 and 500),
  check ((withdrawn_at is null) = (withdrawn_by is null) and (withdrawn_at is null) = (withdrawn_reason is null))
);

create index news_shown on news_items (published_at desc, id desc) where withdrawn_at is null and published_at is not null;

create table news_versions (
  news_id bigint not null references news_items,
  version int not null check (version between 1 and 1000),
  category text not null check (category in ('notice', 'rules', 'market', 'guide')),
  cover_id bigint references news_covers,
  -- The publisher of the news, and the address of the original.
  source text not null check (length(source) between 1 and 120),
  source_url text check (length(source_url) <= 2000 and source_url ~ '^https?://[^[:space:]]+$'),
  body_form text not null default 'markdown' check (body_form in ('markdown', 'html')),
  -- Tells readers what changed in this version.
  note text check (length(note) between 1 and 500),
  saved_at timestamptz not null default now(),
  -- Null: imported from a feed, or part of the demo.
  saved_by bigint references staff,
  -- The publication time; null: a draft.
  publish_at timestamptz,
  published_by bigint references staff,
  primary key (news_id, version)
);

create table news_texts (
  news_id bigint not null,
  version int not null,
  language text not null check (language = any (languages())),
  title text not null check (length(title) between 1 and 200),
  summary text not null check (length(summary) between 1 and 500),
  body text not null check (length(body) between 1 and 100000),
  primary key (news_id, version, language),
  foreign key (news_id, version) references news_versions
);

-- Keys of imported entries: hashes of an entry's id within its feed, and of its link. They stay, so no entry is imported twice.
create table news_feed_keys (
  key bytea primary key check (octet_length(key) = 32),
  news_id bigint not null references news_items
);

-- ## Functions

-- Refuses every change of a version, except that of publish_at and published_by until the publication time has come.
create or replace function news_versions_keep() returns trigger language plpgsql as $$
begin
  if old.publish_at <= now()
    or (to_jsonb(new) - 'publish_at' - 'published_by') <> (to_jsonb(old) - 'publish_at' - 'published_by') then
    perform refuse('NEWS_MOVED', format('version %s of article %s is shown, or was', old.version, old.news_id));
  end if;
  return new;
end $$;

create or replace trigger news_versions_keep before update on news_versions for each row execute function news_versions_keep();

-- Checks that the member of staff may write news, and that the article is not withdrawn. Locks the article's row and returns it;
-- `_id` null: a new article.
create or replace function news_demand(_staff bigint, _id bigint) returns news_items language plpgsql as $$
declare _item news_items;
begin
  perform demand_usable(_staff, 'content');
  if _id is null then return null; end if;
  select * into _item from news_items where id = _id for update;
  if not found then perform refuse('NEWS_NOT_FOUND', format('no article %s', _id)); end if;
  if _item.withdrawn_at is not null then perform refuse('NEWS_WITHDRAWN', format('article %s is withdrawn', _id)); end if;
  return _item;
end $$;

create or replace function news_add_texts(_id bigint, _version int, _texts jsonb) returns void
language sql set search_path = public, pg_temp as $$
  insert into news_texts (news_id, version, language, title, summary, body)
  select _id, _version, t ->> 'language', t ->> 'title', t ->> 'summary', t ->> 'body' from jsonb_array_elements(_texts) t
$$;

-- Saves a version, as a draft. `_id` null: a new article. `_base` is the version that was edited; if it is not the newest, the
-- save is refused (NEWS_MOVED), so that no other edit is lost.
create or replace function news_save(_staff bigint, _id bigint, _base int, _version jsonb, _texts jsonb, out id bigint,
  out version int) language plpgsql security definer as $$
declare _cover bigint;
begin
  perform news_demand(_staff, _id);
  select coalesce(max(v.version), 0) into version from news_versions v where v.news_id = _id;
  if _id is not null and version is distinct from _base then
    perform refuse('NEWS_MOVED', format('article %s has version %s by now', _id, version));
  end if;
  if _version ->> 'cover' is not null then
    select c.id into _cover from news_covers c where c.name = _version ->> 'cover';
    if not found then perform refuse('NEWS_NOT_FOUND', 'no such cover'); end if;
  end if;
  id := _id;
  if _id is null then insert into news_items default values returning news_items.id into id; end if;
  version := version + 1;
  insert into news_versions (news_id, version, category, cover_id, source, source_url, note, saved_by)
  values (id, version, _version ->> 'category', _cover, _version ->> 'source', _version ->> 'sourceUrl', _version ->> 'note',
    _staff);
  perform news_add_texts(id, version, _texts);
  perform audit_append(_staff, 'news.save', 'news:' || id, jsonb_build_object('version', version,
    'content', encode(sha256(convert_to(_version::text || _texts::text, 'UTF8')), 'hex')));
end $$;

create or replace function news_date(_id bigint) returns void
language sql set search_path = public, pg_temp as $$
  update news_items set published_at = (select min(publish_at) from news_versions where news_id = _id) where id = _id
$$;

-- Publishes the newest version at `_at`, which is at most a year ahead; null or past: now. Returns the time. Until it comes, it
-- can be changed, or removed by news_unschedule.
create or replace function news_publish(_staff bigint, _id bigint, _version int, _at timestamptz) returns timestamptz
language plpgsql security definer as $$
declare _when timestamptz := greatest(coalesce(_at, now()), now());
begin
  perform news_demand(_staff, _id);
  if _version is distinct from (select max(version) from news_versions where news_id = _id)
    or _when > now() + interval '1 year' then
    perform refuse('NEWS_MOVED', format('not the newest version of article %s', _id));
  end if;
  update news_versions set publish_at = _when, published_by = _staff where news_id = _id and version = _version;
  perform news_date(_id);
  perform audit_append(_staff, 'news.publish', 'news:' || _id,
    jsonb_build_object('version', _version, 'at', ms_of(_when)));
  return _when;
end $$;

create or replace function news_unschedule(_staff bigint, _id bigint, _version int) returns void
language plpgsql security definer as $$
begin
  perform news_demand(_staff, _id);
  update news_versions set publish_at = null, published_by = null
    where news_id = _id and version = _version and publish_at is not null;
  if not found then perform refuse('NEWS_MOVED', format('version %s of article %s has no moment', _version, _id)); end if;
  perform news_date(_id);
  perform audit_append(_staff, 'news.unschedule', 'news:' || _id, jsonb_build_object('version', _version));
end $$;

-- Withdraws an article for good. A corrected text has to be another article.
create or replace function news_withdraw(_staff bigint, _id bigint, _reason text) returns void
language plpgsql security definer as $$
begin
  perform news_demand(_staff, _id);
  update news_items set withdrawn_at = now(), withdrawn_by = _staff, withdrawn_reason = _reason where id = _id;
  perform audit_append(_staff, 'news.withdraw', 'news:' || _id, jsonb_build_object('reason', _reason));
end $$;

create or replace function news_add_cover(_staff bigint, _name text, _width int, _height int, _picture bytea, _thumb bytea)
returns void language plpgsql security definer as $$
begin
  perform news_demand(_staff, null);
  insert into news_covers (name, width, height, picture, thumb, added_by)
    values (_name, _width, _height, _picture, _thumb, _staff);
  perform audit_append(_staff, 'news.cover', 'cover:' || _name, '{}');
end $$;

-- Imports an entry of a feed, once. Returns the article's id, or null if one of the keys is known already. Imported articles
-- stand in the categories `market` and `guide` alone, because notices and rules are the house's own words, and the source that
-- readers see ends with the feed's host.
create or replace function news_import(_news_feed text, _keys bytea[], _version jsonb, _text jsonb, _at timestamptz)
returns bigint language plpgsql security definer as $$
declare
  _id bigint;
  _host text := substring(_news_feed from '^https?://([^/?#]{1,80})');
begin
  if _host is null or (_version ->> 'category' in ('market', 'guide')) is not true then
    perform refuse('NEWS_MOVED', 'imports are about the market, or guides, of a feed that has an address');
  end if;
  -- Imports run one after the other, so that two processes do not import the same entry.
  perform pg_advisory_xact_lock(7031);
  if exists (select from news_feed_keys where key = any (_keys)) then return null; end if;
  -- A date in the future, or none, becomes now. A date more than a year ago becomes a year ago.
  insert into news_items (news_feed, published_at) values (_news_feed, greatest(least(_at, now()), now() - interval '1 year'))
    returning id into _id;
  insert into news_versions (news_id, version, category, source, source_url, body_form, publish_at)
  select _id, 1, _version ->> 'category',
    concat_ws(' · ', nullif(nullif(left(_version ->> 'source', 117 - length(_host)), _host), ''), _host),
    _version ->> 'sourceUrl', 'html', published_at
    from news_items where id = _id;
  perform news_add_texts(_id, 1, jsonb_build_array(_text));
  insert into news_feed_keys (key, news_id) select distinct k, _id from unnest(_keys) k;
  return _id;
end $$;

-- Each published article with its newest version whose publication time has come; withdrawn articles included.
create or replace view news_visible as
  select i.id, i.published_at, i.is_sample, i.news_feed, i.withdrawn_at, v.version, v.category, v.cover_id, v.source,
    v.source_url, v.body_form, v.publish_at
  from news_items i
  cross join lateral (select * from news_versions v where v.news_id = i.id and v.publish_at <= now()
    order by v.version desc limit 1) v
  where i.published_at <= now() and (not i.is_sample or (select mode from house_settings) = 'demo');
