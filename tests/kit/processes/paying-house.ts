import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownershipText } from '@fairtick/proof';
import { type Anvil, startAnvil } from '../chains/anvil.ts';
import { HOT, payingFrom } from '../chains/paying.ts';
import { until } from '../waiting/until.ts';
import { type Environment, NodeProcess } from './node-process.ts';
import { freePort } from './processes.ts';
import type { Installation, ServerProcess } from './server-process.ts';

/** A server with an office, whose house pays on a chain of its own. */
export class PayingHouse {
  readonly server: ServerProcess;
  readonly office: string;
  readonly chain: Anvil;
  readonly #installation: Installation;
  readonly #environment: Environment;

  private constructor(
    installation: Installation,
    parts: { server: ServerProcess; office: string; chain: Anvil; environment: Environment },
  ) {
    this.#installation = installation;
    this.server = parts.server;
    this.office = parts.office;
    this.chain = parts.chain;
    this.#environment = parts.environment;
  }

  /** The role `chain` starts in a process of its own: the house signs its address for the log, which the first process begins. */
  static async start(installation: Installation, environment: Environment = {}): Promise<PayingHouse> {
    const chain = await startAnvil();
    const [file, port] = [join(installation.dataDir, 'chains.json'), String(await freePort())];
    const write = (own: { address: string; signature: string }[] | undefined) =>
      writeFileSync(file, JSON.stringify([payingFrom(chain, own && { own })]));
    write(undefined);
    await chain.fund(HOT.address);
    await chain.mine(4);
    const all = { ...environment, CHAINS_FILE: file, HOLD_SECONDS: '1' };
    const server = await installation.startReady({ ...all, ROLE: 'api,engine,feed', OFFICE_PORT: port });
    const checkpoint = await fetch(`${server.origin}/api/transparency/checkpoint`);
    const message = ownershipText((await checkpoint.text()).split('\n')[0] as string, HOT.address);
    write([{ address: HOT.address, signature: await HOT.signMessage({ message }) }]);
    await installation.startReady({ ...all, ROLE: 'chain' });
    const office = `http://localhost:${port}`;
    return new PayingHouse(installation, { server, office, chain, environment });
  }

  /** Loads a sanctions list (CSV) as the operator does. */
  async loadList(csv: string): Promise<void> {
    const { dataDir } = this.#installation;
    const file = join(dataDir, 'list.csv');
    writeFileSync(file, csv);
    const command = new NodeProcess('apps/server/src/commands/admin.ts', {
      args: ['screening-load', file],
      environment: { ...this.#environment, DATA_DIR: dataDir },
    });
    await until(() => !command.isRunning);
    if ((await command.end('SIGTERM')) !== 0) throw new Error(command.output());
  }

  stop(): Promise<void> {
    return this.chain.stop();
  }
}
