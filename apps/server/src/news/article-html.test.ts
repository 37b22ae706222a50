import { describe, expect, test } from 'vitest';
import { articleHtml, beginning, plainText, readingMinutes } from './article-html.ts';

/** Attacks that an article could contain. They must reach a reader as plain text or not at all. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><circle/></svg>',
  '<iframe src="https://evil.example"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt&#58;alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="//evil.example">x</a>',
  '<p onclick="alert(1)" style="position:fixed" id="app" class="x">x</p>',
  '<form action="https://evil.example"><input name=p><button>Go</button></form>',
  '<style>*{display:none}</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<object data="x"></object><embed src="x"><base href="https://evil.example/">',
  '<template><script>alert(1)</script></template>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/pixel.gif)',
  '[x]: javascript:alert(1)\n[x]',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<!--<script>alert(1)</script>-->',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
];
/** Only allowed tags, and as the only attribute the address of a link. */
const HARMLESS =
  /^(?:[^<>]|<\/?(?:p|h[234]|br|hr|blockquote|pre|code|ul|ol|li|strong|em|s|sub|sup|a|table|thead|tbody|tr|th|td)(?: \/)?>|<a href="(?:https?:|mailto:|\/(?!\/))[^"<>]*">)*$/;

describe('an article’s body', () => {
  test.each(HOSTILE)('keeps nothing that runs, loads or styles: %s', (text) => {
    for (const form of ['markdown', 'html'] as const) {
      const html = articleHtml(form, text);
      expect(html).toMatch(HARMLESS);
    }
  });

  test('renders Markdown: headings, lists, tables, links', () => {
    const html = articleHtml(
      'markdown',
      '# One\n\n**b** [l](https://a.example/x)\n\n- i\n\n| a | b |\n|---|---|\n| 1 | 2 |',
    );
    expect(html).toContain('<h2>One</h2>');
    expect(html).toContain('<strong>b</strong> <a href="https://a.example/x">l</a>');
    expect(html).toContain('<li>i</li>');
    expect(html).toContain('<td>2</td>');
  });

  test('leaves out hidden characters, however they are written, and keeps visible ones', () => {
    const hidden = 'exe\u202etxt \u200b&#8238;&rlm;&shy;Brief&#x2060; ❤️ 👨‍👩‍👧';
    for (const form of ['html', 'markdown'] as const) {
      expect(plainText(articleHtml(form, `<p>${hidden}</p>`))).toBe('exetxt Brief ❤️ 👨‍👩‍👧');
    }
    expect(plainText(hidden)).toBe('exetxt Brief ❤️ 👨‍👩‍👧');
    expect(articleHtml('html', '<p>a</p>\n<p>b</p>')).toBe('<p>a</p>\n<p>b</p>');
  });

  test('is cut off when its nesting has no end', () => {
    expect(articleHtml('html', '<blockquote>'.repeat(20_000)).length).toBeLessThan(20_000);
  });
});

describe('a summary', () => {
  test('is plain text on one line', () => {
    expect(plainText('<h2>A</h2><p>b &amp; c</p>\n<p>&lt;script&gt;</p>')).toBe('A b & c <script>');
  });
  test('ends at a whole word and splits no character', () => {
    expect(beginning('one two three', 9)).toBe('one two…');
    expect(beginning('𠮷𠮷𠮷𠮷', 3)).toBe('𠮷𠮷…');
    expect(beginning('short', 9)).toBe('short');
  });
  test('has a reading time of at least a minute', () => {
    expect([readingMinutes('zh', 10), readingMinutes('zh', 1_200), readingMinutes('en', 3_300)]).toEqual([
      1, 3, 3,
    ]);
  });
});
