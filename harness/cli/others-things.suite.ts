import { Agent, request } from 'undici';
import type { EngineDriver, Ownership } from '../engine/driver.ts';

/** A container, a network and an image name that are not ours, and the same with the label of a run that lives. */
export class OthersThings {
  readonly #driver: EngineDriver;
  readonly #agent: Agent;
  readonly #name: string;
  #image = '';
  #before = '';
  #ownership: Ownership | undefined;

  /** `mark` makes the names unique. */
  constructor(driver: EngineDriver, socketPath: string, mark: string) {
    this.#driver = driver;
    this.#agent = new Agent({ connect: { socketPath } });
    this.#name = `others-${mark}`;
  }

  /** `image` must run until it is killed. */
  async make(image: string, ownership: Ownership): Promise<void> {
    const { digest = '' } = (await this.#driver.inspectImage(image)) ?? {};
    this.#image = digest;
    this.#ownership = ownership;
    await this.#driver.tagImage(digest, this.#name, 'theirs');
    await this.#ask('POST', '/networks/create', { Name: this.#name, Internal: true });
    const container = { Image: digest, HostConfig: { NetworkMode: this.#name } };
    await this.#ask('POST', `/containers/create?name=${this.#name}`, container);
    await this.#ask('POST', `/containers/${this.#name}/start`);
    const network = `${this.#name}-run`;
    await this.#driver.createNetwork(network, { internal: true, ownership });
    await this.#driver.hold({ name: `${this.#name}-run`, image: digest, env: {}, network, ownership });
    this.#before = await this.#state();
  }

  /** What is no longer as it was made. */
  async changed(): Promise<readonly string[]> {
    const now = await this.#state();
    return now === this.#before ? [] : [`${this.#driver.name}: ${this.#before} became ${now}`];
  }

  async remove(): Promise<void> {
    if (this.#ownership === undefined) return;
    await this.#ask('DELETE', `/containers/${this.#name}?force=true`, undefined, [404]);
    await this.#ask('DELETE', `/networks/${this.#name}`, undefined, [404]);
    const { run } = this.#ownership;
    const mine = (await this.#driver.owned()).filter((object) => object.run === run);
    for (const object of mine.toSorted((a, b) => a.type.localeCompare(b.type))) await this.#driver.removeOwned(object);
    await this.#driver.untagImage(`${this.#name}:theirs`);
    await this.#agent.close();
  }

  async #state(): Promise<string> {
    const containers: object[] = [];
    for (const name of [this.#name, `${this.#name}-run`]) {
      const { Id, State } = (await this.#ask('GET', `/containers/${name}/json`)) as {
        Id: string;
        State: { Running: boolean; StartedAt: string };
      };
      const { Id: network } = (await this.#ask('GET', `/networks/${name}`)) as { Id: string };
      containers.push({ Id, running: State.Running, startedAt: State.StartedAt, network });
    }
    const tagged = (await this.#driver.inspectImage(`${this.#name}:theirs`))?.digest === this.#image;
    return JSON.stringify({ containers, tagged });
  }

  async #ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, fine: number[] = []): Promise<unknown> {
    const { statusCode, body: answer } = await request(`http://engine/v1.41${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode >= 400 && !fine.includes(statusCode)) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  }
}
