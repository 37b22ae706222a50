import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../waiting/until.ts';
import { ensurePackages } from './debian-postgres.ts';
import { freePort, killAndWait } from './processes.ts';

const OPS = join(import.meta.dirname, '../../../ops');

/** An alert in a message that a receiver got. */
export interface Message {
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly atMs: number;
}

/** Replaces parts of a file of `ops`. @throws Error when one is not there any more */
function placed(file: string, parts: readonly (readonly [string | RegExp, string])[]): string {
  return parts.reduce(
    (before, [part, value]) => {
      const after = before.replace(part, value);
      if (after === before) throw new Error(`${file} no longer says ${part}`);
      return after;
    },
    readFileSync(join(OPS, file), 'utf8'),
  );
}

/** Prometheus, its prober, Alertmanager and HAProxy with the files of `ops`, and the receivers of the messages. */
export class OnCall {
  readonly messages: Message[] = [];
  readonly #home = mkdtempSync(join(tmpdir(), 'fairtick-on-call-'));
  readonly #running = new Map<string, ChildProcess>();
  #receiver: Server | null = null;
  #balancer: readonly string[] = [];
  #addresses: Readonly<Record<string, string>> = {};

  /**
   * @param targets HOST:PORT of each process's metrics
   * @param behind the origins that HAProxy leads to: an API's and its office's
   */
  static async open(targets: readonly string[], behind: { api: string; office: string }): Promise<OnCall> {
    ensurePackages('/usr/bin/prometheus', 'prometheus');
    ensurePackages('/usr/bin/prometheus-alertmanager', 'prometheus-alertmanager');
    ensurePackages('/usr/bin/prometheus-blackbox-exporter', 'prometheus-blackbox-exporter');
    ensurePackages('/usr/sbin/haproxy', 'haproxy');
    const onCall = new OnCall();
    const [customers, office] = [await freePort(), await freePort()];
    const [api, staff] = [new URL(behind.api).host, new URL(behind.office).host];
    onCall.#addresses = { API_1: api, API_2: api, OFFICE_1: staff, OFFICE_2: staff };
    onCall.#write('haproxy.cfg', [
      ['bind :8080', `bind 127.0.0.1:${customers}`],
      ['bind 127.0.0.1:8081', `bind 127.0.0.1:${office}`],
      ['maxconn 20000', 'maxconn 5000'],
    ]);
    onCall.#balancer = ['-db', '-f', join(onCall.#home, 'haproxy.cfg')];
    onCall.startBalancer();
    await onCall.#startMonitors(targets, [customers, office]);
    return onCall;
  }

  startBalancer(): void {
    this.#start('haproxy', this.#balancer, this.#addresses);
  }

  /** Kills one of `haproxy` and `prometheus`. */
  async kill(name: 'haproxy' | 'prometheus'): Promise<void> {
    await killAndWait([this.#running.get(name)?.pid as number]);
  }

  /** Seconds from `sinceMs` until a message about a firing alert came. */
  async told(alert: string, sinceMs: number, labels: Record<string, string> = {}): Promise<number> {
    const wanted = Object.entries({ alertname: alert, ...labels });
    const find = () =>
      this.messages.find(
        ({ status, atMs, labels: has }) =>
          status === 'firing' && atMs >= sinceMs && wanted.every(([name, value]) => has[name] === value),
      );
    await until(() => find() !== undefined, 150_000);
    return ((find() as Message).atMs - sinceMs) / 1000;
  }

  /** Waits for the message that an alert has ended. */
  async ended(alert: string, sinceMs: number): Promise<void> {
    await until(
      () =>
        this.messages.some(
          ({ status, labels, atMs }) =>
            status === 'resolved' && labels.alertname === alert && atMs >= sinceMs,
        ),
      420_000,
    );
  }

  async close(): Promise<void> {
    await killAndWait([...this.#running.values()].map(({ pid }) => pid as number));
    this.#receiver?.closeAllConnections();
    this.#receiver?.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #startMonitors(targets: readonly string[], [customers, office]: readonly number[]): Promise<void> {
    const [prometheus, manager, prober] = [await freePort(), await freePort(), await freePort()];
    const receiver = await this.#receive();
    this.#write('alertmanager.yml', [
      ['https://pager.example/hook', `${receiver}/pager`],
      ['https://watchdog.example/ping', `${receiver}/watchdog`],
      [/email_configs: .*/, `webhook_configs: [{ url: '${receiver}/tickets' }]`],
    ]);
    this.#write('prometheus.yml', [
      ['127.0.0.1:9093', `127.0.0.1:${manager}`],
      ['127.0.0.1:9115', `127.0.0.1:${prober}`],
      [/\['127.0.0.1:9101'.*\]/, JSON.stringify(targets)],
      ['127.0.0.1:8080/readyz', `127.0.0.1:${customers}/readyz`],
      ['127.0.0.1:8081/healthz', `127.0.0.1:${office}/healthz`],
    ]);
    this.#write('alerts.yml', []);
    const file = (name: string) => join(this.#home, name);
    mkdirSync(file('data'));
    this.#start('prometheus-blackbox-exporter', [
      '--config.file=/etc/prometheus/blackbox.yml',
      `--web.listen-address=127.0.0.1:${prober}`,
    ]);
    this.#start('prometheus-alertmanager', [
      `--config.file=${file('alertmanager.yml')}`,
      `--storage.path=${file('messages')}`,
      `--web.listen-address=127.0.0.1:${manager}`,
      '--cluster.listen-address=',
    ]);
    // The option is the one that docs/OPERATIONS.md, "Alerts", puts into /etc/default/prometheus.
    this.#start('prometheus', [
      `--config.file=${file('prometheus.yml')}`,
      `--storage.tsdb.path=${file('data')}`,
      `--web.listen-address=127.0.0.1:${prometheus}`,
      '--rules.alert.resend-delay=5s',
    ]);
  }

  async #receive(): Promise<string> {
    const port = await freePort();
    this.#receiver = createServer(async (request, response) => {
      const { alerts } = JSON.parse(await text(request)) as { alerts: Omit<Message, 'receiver' | 'atMs'>[] };
      const receiver = (request.url ?? '').slice(1);
      const atMs = performance.now();
      for (const { status, labels } of alerts) this.messages.push({ receiver, status, labels, atMs });
      response.end();
    }).listen(port, '127.0.0.1');
    return `http://127.0.0.1:${port}`;
  }

  #write(file: string, parts: readonly (readonly [string | RegExp, string])[]): void {
    writeFileSync(join(this.#home, file), placed(file, parts));
  }

  #start(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
    const env = { ...process.env, ...environment };
    this.#running.set(program, spawn(program, args, { stdio: 'ignore', detached: true, env }));
  }
}
