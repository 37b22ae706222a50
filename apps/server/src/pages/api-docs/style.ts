/** The page's only style, in the app's design tokens. Its hash is in the page's content security policy. */
export const STYLE = `
:root{
  color-scheme:light;
  --bg:#f3f4f6;--s1:#fff;--s3:#e7eaee;--line:#e4e7eb;--line-2:#cdd3db;
  --ink:#11151b;--ink-2:#48515e;--ink-3:#5f6875;--gold:#8a6000;--gold-mark:#b07d12;
  --font:-apple-system,BlinkMacSystemFont,"SF Pro Text","Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,"PingFang SC","HarmonyOS Sans SC",MiSans,"Microsoft YaHei","Noto Sans SC","Noto Sans CJK SC",sans-serif;
  --mono:ui-monospace,"SF Mono","Roboto Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
}
@media (prefers-color-scheme:dark){:root{
  color-scheme:dark;
  --bg:#0b0d11;--s1:#13161b;--s3:#242a33;--line:#20252d;--line-2:#333a45;
  --ink:#edeff2;--ink-2:#a9b1bd;--ink-3:#8b94a1;--gold:#e2b657;--gold-mark:#e2b657;
}}
:lang(zh-TW){--font:-apple-system,BlinkMacSystemFont,"SF Pro Text","Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,"PingFang TC","HarmonyOS Sans TC","Microsoft JhengHei","Noto Sans TC","Noto Sans CJK TC",sans-serif}
*{box-sizing:border-box;margin:0;padding:0}
html{background:var(--bg);-webkit-text-size-adjust:100%;scroll-padding-top:16px}
body{font:0.9375rem/1.375rem var(--font);color:var(--ink);font-variant-numeric:tabular-nums lining-nums;-webkit-font-smoothing:antialiased;overflow-wrap:break-word}
a{color:inherit;text-decoration-color:var(--line-2);text-underline-offset:3px}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--gold);outline-offset:2px;border-radius:4px}
code,.mono{font-family:var(--mono);font-size:0.8125rem;font-variant-ligatures:none}
header{display:flex;align-items:center;gap:8px;min-height:3.5rem;padding:8px 20px;background:var(--s1);border-bottom:1px solid var(--line)}
header svg{flex:none}
header b{font:600 1.0625rem/1.5rem var(--font)}
header span{color:var(--ink-3)}
header a{margin-left:auto;min-height:2.75rem;display:flex;align-items:center;color:var(--ink-2)}
.page{max-width:75rem;margin:0 auto;padding:0 20px 48px}
nav{padding:16px 0;border-bottom:1px solid var(--line)}
nav h2{margin:16px 0 4px;font:600 0.75rem/1rem var(--font);color:var(--ink-3)}
nav ul{list-style:none}
nav li a{display:block;padding:4px 0;color:var(--ink-2);text-decoration:none;font:0.8125rem/1.25rem var(--font)}
nav li a:hover{color:var(--ink)}
h1{margin:32px 0 12px;font:600 1.75rem/2.125rem var(--font);letter-spacing:-.02em}
main{min-width:0}
main h2{margin:48px 0 16px;font:600 1.375rem/1.75rem var(--font)}
main h3{font:600 1.0625rem/1.5rem var(--font)}
main h4{margin:20px 0 8px;font:600 0.8125rem/1.25rem var(--font);color:var(--ink-2)}
main p,main li{max-width:72ch;color:var(--ink-2)}
main ol,main ul.plain{padding-left:20px;display:grid;gap:8px}
article{margin:0 0 16px;padding:20px;background:var(--s1);border:1px solid var(--line);border-radius:14px}
@media (prefers-color-scheme:dark){article{border-color:transparent}}
.line{display:flex;flex-wrap:wrap;align-items:baseline;gap:8px}
.line code{min-width:0;font-size:0.9375rem;font-weight:500;overflow-wrap:anywhere}
.tag{display:inline-block;padding:2px 6px;border-radius:4px;background:var(--s3);color:var(--ink-2);font:0.6875rem/1rem var(--font);white-space:nowrap}
.method{font:600 0.75rem/1rem var(--mono);color:var(--ink)}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font:0.8125rem/1.25rem var(--font)}
th{padding:6px 16px 6px 0;text-align:left;font-weight:400;color:var(--ink-3);border-bottom:1px solid var(--line-2);white-space:nowrap}
td{padding:8px 16px 8px 0;vertical-align:top;border-bottom:1px solid var(--line);color:var(--ink-2)}
tr:last-child td{border-bottom:0}
td:first-child{white-space:nowrap;color:var(--ink);font-weight:500}
td.text{min-width:220px}
pre{padding:12px 16px;border-radius:10px;background:var(--bg);overflow-x:auto;font:0.8125rem/1.25rem var(--mono);font-variant-ligatures:none}
.codes{display:flex;flex-wrap:wrap;gap:6px;list-style:none}
.codes a{display:inline-block;padding:2px 8px;border-radius:4px;background:var(--s3);font:0.75rem/1.25rem var(--mono);text-decoration:none;color:var(--ink-2)}
.codes a:hover{color:var(--ink)}
@media (min-width:64em){
  .page{display:grid;grid-template-columns:14.5rem minmax(0,1fr);gap:40px}
  nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:16px 0;border:0}
}
`;
