import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS, seen } from '../waiting/until.ts';

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/snap/bin/firefox'];

function findFirefox(): string {
  const found = process.env.FIREFOX ?? PLACES.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error('no Firefox: install it, on Debian with `apt-get install firefox-esr`, or set FIREFOX');
  return found;
}

interface Answer {
  readonly id?: number;
  readonly type: 'success' | 'error' | 'event';
  readonly method?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
  readonly message?: string;
  readonly result?: unknown;
}

/** A page of a stock Firefox, which Playwright can't drive, over WebDriver BiDi. */
export class FirefoxPage {
  /** Console messages and page errors. */
  readonly complaints: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #count = 0;
  #context = '';

  private constructor(firefox: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = firefox;
    this.#profile = profile;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)) as Answer);
  }

  static async open(
    preferences: Readonly<Record<string, string | number | boolean>> = {},
  ): Promise<FirefoxPage> {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
    const lines = Object.entries(preferences).map(
      (pair) => `user_pref(${pair.map((part) => JSON.stringify(part))});`,
    );
    writeFileSync(join(profile, 'user.js'), lines.join('\n'));
    const args = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile];
    const firefox = spawn(findFirefox(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const address = await new Promise<string>((resolve, reject) => {
      let told = '';
      firefox.on('exit', () => reject(new Error(`Firefox ended: ${told}`)));
      firefox.stderr.on('data', (part) => {
        told += String(part);
        const found = /WebDriver BiDi listening on (ws:\S+)/.exec(told)?.[1];
        if (found) resolve(found);
      });
    });
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    const page = new FirefoxPage(firefox, profile, socket);
    await page.#command('session.new', { capabilities: {} });
    await page.#command('session.subscribe', { events: ['log.entryAdded'] });
    const tree = (await page.#command('browsingContext.getTree', {})) as { contexts: { context: string }[] };
    page.#context = tree.contexts[0]?.context ?? '';
    await page.#command('browsingContext.setViewport', {
      context: page.#context,
      viewport: { width: 1280, height: 800 },
    });
    return page;
  }

  /** Opens an address, and waits until the app has replaced the prerendered page. */
  async goto(url: string): Promise<void> {
    await this.until('document.readyState === "complete"');
    await this.#command('browsingContext.navigate', { context: this.#context, url, wait: 'none' });
    await this.until(
      `location.href === ${JSON.stringify(url)} && document.readyState === 'complete' && !document.documentElement.hasAttribute('data-page')`,
    );
  }

  /** The value of an expression in the page: a string, a number, a boolean or null. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = (await this.#command('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    })) as { result?: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value ?? null;
  }

  /** Waits until an expression is neither null nor false, and returns its value. */
  until(expression: string, withinMs = PATIENCE_MS): Promise<unknown> {
    // Between two pages there is none to evaluate it in.
    return seen(
      () =>
        this.evaluate(expression).then(
          (value) => value || null,
          () => null,
        ),
      {
        what: expression,
        withinMs,
        everyMs: 250,
      },
    );
  }

  /** Clicks with the mouse in the middle of the element that an expression gives, once it is there and enabled. */
  async click(element: string): Promise<void> {
    const place = await this.until(
      `(() => { const e = ${element}; if (!e || e.disabled) return null; e.scrollIntoView({ block: 'center' });` +
        ' const { x, y, width, height } = e.getBoundingClientRect();' +
        ' return width > 0 && JSON.stringify([x + width / 2, y + height / 2]); })()',
    );
    const [x, y] = (JSON.parse(String(place)) as number[]).map(Math.floor);
    await this.#act('pointer', [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]);
  }

  async fill(element: string, text: string): Promise<void> {
    await this.click(element);
    const keys = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })));
    await this.#act('key', keys);
  }

  /** A PNG of the window. */
  async screenshot(): Promise<Buffer> {
    const { data } = (await this.#command('browsingContext.captureScreenshot', {
      context: this.#context,
    })) as {
      data: string;
    };
    return Buffer.from(data, 'base64');
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#socket.close();
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #act(type: string, actions: readonly object[]): Promise<unknown> {
    return this.#command('input.performActions', {
      context: this.#context,
      actions: [{ type, id: type, actions }],
    });
  }

  #command(method: string, params: object): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ type, result, message }) =>
        type === 'success' ? resolve(result) : reject(new Error(`${method}: ${message}`)),
      );
    });
  }

  #take(answer: Answer): void {
    if (answer.type === 'event') {
      if (answer.method === 'log.entryAdded')
        this.complaints.push(`${answer.params?.level}: ${answer.params?.text}`);
      return;
    }
    if (answer.id === undefined) return;
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}
