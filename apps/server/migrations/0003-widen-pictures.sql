-- Long screenshots keep their width, so a picture may be as high, or as wide, as a JPEG can be.
alter table uploads
  drop constraint uploads_width_check, add constraint uploads_width_check check (width between 1 and 65535),
  drop constraint uploads_height_check, add constraint uploads_height_check check (height between 1 and 65535);
alter table news_covers
  drop constraint news_covers_width_check, add constraint news_covers_width_check check (width between 1 and 65535),
  drop constraint news_covers_height_check, add constraint news_covers_height_check check (height between 1 and 65535);
