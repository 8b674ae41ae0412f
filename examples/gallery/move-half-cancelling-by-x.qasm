OPENQASM 3.0;
include "stdgates.inc";
gate superposition_o _gate_q_0, _gate_q_1, _gate_q_2, _gate_q_3 {
  h _gate_q_0;
  x _gate_q_2;
  cx _gate_q_0, _gate_q_2;
  cx _gate_q_0, _gate_q_1;
  cx _gate_q_2, _gate_q_3;
}
gate half_cancelling_x _gate_q_0, _gate_q_1, _gate_q_2, _gate_q_3, _gate_q_4 {
  ry(2.224059907653615) _gate_q_4;
  cx _gate_q_0, _gate_q_4;
  ry(-0.917532745936178) _gate_q_4;
  ry(-0.2347376305974751) _gate_q_2;
  cx _gate_q_0, _gate_q_2;
  ry(0.2347376305974751) _gate_q_2;
  ry(0.9553166181245092) _gate_q_3;
  cx _gate_q_2, _gate_q_3;
  ry(-0.9553166181245092) _gate_q_3;
  cx _gate_q_2, _gate_q_0;
  cx _gate_q_2, _gate_q_1;
}
bit[3] pos;
bit[3] mark;
bit[1] flag;
qubit[9] occ;
qubit[9] sym;
qubit[9] her;
superposition_o occ[3], sym[3], occ[4], sym[4];
half_cancelling_x occ[4], sym[4], occ[5], sym[5], her[4];
pos[0] = measure occ[3];
pos[1] = measure occ[4];
pos[2] = measure occ[5];
mark[0] = measure sym[3];
mark[1] = measure sym[4];
mark[2] = measure sym[5];
flag[0] = measure her[4];
