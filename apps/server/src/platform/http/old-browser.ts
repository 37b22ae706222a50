/** Replaces the page by a sentence in a browser older than those of `apps/web/browsers.ts`. The script is ES5 and runs after the body. */
const OLDEST = 'Chrome 99, Edge 99, Firefox 100, Safari 15.4, iOS 15.4';
const SENTENCES = [
  ['zh-CN', `您的浏览器版本过旧，无法使用 Fairtick。请更新浏览器，或使用以下版本及更高版本：${OLDEST}`],
  ['zh-TW', `您的瀏覽器版本過舊，無法使用 Fairtick。請更新瀏覽器，或使用以下版本及更高版本：${OLDEST}`],
  ['en', `This browser is too old for Fairtick. Please update it, or use one of these or newer: ${OLDEST}`],
];

/** The root element's attribute `data-old` tells the app's start that there is nothing to start in. */
export const OLD_BROWSER_SCRIPT = `(function(){var d=document;if('noModule' in d.createElement('script')&&window.structuredClone&&Object.hasOwn&&[].at&&window.HTMLDialogElement&&window.ResizeObserver&&window.BigInt)return;d.documentElement.setAttribute('data-old','');d.documentElement.className='';var t=${JSON.stringify(SENTENCES)},b=d.body;while(b.firstChild)b.removeChild(b.firstChild);b.style.cssText='margin:0;padding:24px 16px;background:#fff;color:#111;font:16px/1.6 sans-serif';for(var i=0;i<t.length;i++){var p=d.createElement('p');p.lang=t[i][0];p.appendChild(d.createTextNode(t[i][1]));b.appendChild(p)}})()`;
