import { judgesCases } from './cases.suite.ts';
import { cases, nameOf } from './cases.ts';
import { sample } from './sample.ts';

judgesCases(cases.filter((one) => sample.includes(nameOf(one))));
