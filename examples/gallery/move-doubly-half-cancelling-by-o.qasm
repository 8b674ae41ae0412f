OPENQASM 3.0;
include "stdgates.inc";
gate superposition_x _gate_q_0, _gate_q_1, _gate_q_2, _gate_q_3 {
  h _gate_q_0;
  x _gate_q_2;
  cx _gate_q_0, _gate_q_2;
}
gate half_cancelling_o _gate_q_0, _gate_q_1, _gate_q_2, _gate_q_3, _gate_q_4 {
  ry(2.224059907653615) _gate_q_4;
  cx _gate_q_0, _gate_q_4;
  ry(-0.917532745936178) _gate_q_4;
  ry(-0.2347376305974751) _gate_q_2;
  cx _gate_q_0, _gate_q_2;
  ry(0.2347376305974751) _gate_q_2;
  ry(2.5261129449194057) _gate_q_3;
  cx _gate_q_2, _gate_q_3;
  ry(-2.5261129449194057) _gate_q_3;
  cx _gate_q_2, _gate_q_0;
}
gate classical_x _gate_q_0, _gate_q_1 {
  x _gate_q_0;
}
bit[5] pos;
bit[5] mark;
bit[2] flag;
qubit[9] occ;
qubit[9] sym;
qubit[9] her;
superposition_x occ[3], sym[3], occ[4], sym[4];
half_cancelling_o occ[4], sym[4], occ[5], sym[5], her[4];
classical_x occ[8], sym[8];
half_cancelling_o occ[3], sym[3], occ[0], sym[0], her[3];
pos[0] = measure occ[0];
pos[1] = measure occ[3];
pos[2] = measure occ[4];
pos[3] = measure occ[5];
pos[4] = measure occ[8];
mark[0] = measure sym[0];
mark[1] = measure sym[3];
mark[2] = measure sym[4];
mark[3] = measure sym[5];
mark[4] = measure sym[8];
flag[0] = measure her[3];
flag[1] = measure her[4];
