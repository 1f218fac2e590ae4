/** More than an answer may be on its way, less than makes a day or a deadline wrong. */
const NOTED = 30_000;

/**
 * The time as the service has it. Everything it dates was dated by its clock, and the reader's may be wrong by a day:
 * then a run of yesterday would be "just now", and a plan that holds would have expired.
 */
export class ServiceClock {
  #ahead = 0;

  /** Takes the Date of an answer, given when it was asked for and came by the reader's clock. */
  heard(date: string | null, asked: number, came: number): void {
    const ahead = Date.parse(date ?? "") - came;
    // What took longer may have waited while the computer slept.
    if (Number.isNaN(ahead) || came < asked || came - asked > NOTED) return;
    if (Math.abs(ahead - this.#ahead) > NOTED) this.#ahead = ahead;
  }

  /** The service's time when the reader's clock says this. */
  at(own: number): number {
    return own + this.#ahead;
  }
}

export const serviceClock = new ServiceClock();

export const serviceNow = (): number => serviceClock.at(Date.now());
