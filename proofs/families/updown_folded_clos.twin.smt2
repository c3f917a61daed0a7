; Up-down on a folded Clos without "down only to where the destination is below": what fast reroute and shortest paths after
; link failures do, when a spine that lost its cable to a leaf tries by way of another leaf.
;
; The loop: two leaves a, b and two spines p, q. Packet 0 goes a, p, b, q, c0; packet 1 goes b, q, a, p, c1: a > p > b > q > a.
; p0_j and p1_j are the switches of the two packets in order; h and g are the hosts that send and receive.
(set-info :status sat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun tier (Node) Int)
(declare-fun below (Node Node) Bool)
(define-fun up ((s Node) (n Node)) Bool (< (tier s) (tier n)))
(define-fun down ((s Node) (n Node)) Bool (> (tier s) (tier n)))
(define-fun hop ((s Node) (n Node) (d Node)) Bool (and
    (=> (below s d) (down s n)) ; down where the destination is below
    (=> (not (below s d)) (up s n)) ; up where it is not
  ))
(define-fun turn ((x Node) (y Node) (z Node) (d Node)) Bool (and
    (hop x y d)
    (hop y z d)
  ))
; == The loop
(declare-const h0 Node)
(declare-const p0_0 Node)
(declare-const p0_1 Node)
(declare-const p0_2 Node)
(declare-const p0_3 Node)
(declare-const p0_4 Node)
(declare-const g0 Node)
(declare-const h1 Node)
(declare-const p1_0 Node)
(declare-const p1_1 Node)
(declare-const p1_2 Node)
(declare-const p1_3 Node)
(declare-const p1_4 Node)
(declare-const g1 Node)
(assert (distinct h0 g0 h1 g1 p0_0 p0_1 p0_2 p0_3 p0_4 p1_4))
(assert (and (= p1_0 p0_2) (= p1_1 p0_3) (= p1_2 p0_0) (= p1_3 p0_1)))
(assert (and (= (tier h0) (tier g0) (tier h1) (tier g1) 0) (= (tier p0_0) (tier p0_2) (tier p0_4) (tier p1_4) 1)))
(assert (and (turn h0 p0_0 p0_1 g0) (turn p0_0 p0_1 p0_2 g0) (turn p0_1 p0_2 p0_3 g0) (turn p0_2 p0_3 p0_4 g0) (turn p0_3 p0_4 g0 g0)))
(assert (and (turn h1 p1_0 p1_1 g1) (turn p1_0 p1_1 p1_2 g1) (turn p1_1 p1_2 p1_3 g1) (turn p1_2 p1_3 p1_4 g1) (turn p1_3 p1_4 g1 g1)))
(check-sat)
