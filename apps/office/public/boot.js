// Before anything is painted: the theme and language of a reader who was here before. A file of its own, for the page's policy
// lets no script stand in the page.
(() => {
  const root = document.documentElement;
  const dark = localStorage.getItem('dark');
  const isDark = dark === null ? matchMedia('(prefers-color-scheme: dark)').matches : dark === 'true';
  root.classList.toggle('dark', isDark);
  const tag = { zh: 'zh-CN', tw: 'zh-TW', en: 'en-US' }[localStorage.getItem('language')];
  if (tag) root.lang = tag;
})();
