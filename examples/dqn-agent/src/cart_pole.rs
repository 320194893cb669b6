//! A pole on a cart that is pushed left or right.

use burn::data::dataset::random::Generator;

/// Acceleration of gravity, m/s^2.
pub const GRAVITY: f64 = 9.8;
/// Mass of the cart, kg.
pub const CART_MASS: f64 = 1.0;
/// Mass of the pole, kg.
pub const POLE_MASS: f64 = 0.1;
/// Half of the length of the pole, m.
pub const HALF_LENGTH: f64 = 0.5;
/// Force of a push, N.
pub const FORCE: f64 = 10.0;
/// Time between two pushes, s.
pub const TIME_STEP: f64 = 0.02;
/// Distance from the middle of the track at which an episode ends, m.
pub const TRACK: f64 = 2.4;
/// Angle at which an episode ends: 12 degrees in radians.
pub const LARGEST_ANGLE: f64 = 12.0 * std::f64::consts::PI / 180.0;
/// Number of steps after which an episode is cut off.
pub const LONGEST_EPISODE: usize = 500;
/// Number of actions: a push to the left, and one to the right.
pub const ACTIONS: usize = 2;

/// Position and velocity of the cart, angle and angular velocity of the pole, which stands upright at angle
/// 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub position: f64,
    pub velocity: f64,
    pub angle: f64,
    pub angular_velocity: f64,
}

impl State {
    /// Returns the numbers that the network sees, in units in which they are of about the same size.
    pub fn features(self) -> [f32; 4] {
        let State { position, velocity, angle, angular_velocity } = self;
        [position / TRACK, velocity / 2.0, angle / LARGEST_ANGLE, angular_velocity / 2.0]
            .map(|value| value as f32)
    }

    /// Returns whether the pole has fallen or the cart has left the track.
    pub fn has_failed(self) -> bool {
        self.position.abs() > TRACK || self.angle.abs() > LARGEST_ANGLE
    }
}

// ANCHOR: physics
/// Returns the accelerations of cart and pole under a force on the cart, without friction:
///
/// ```text
/// t       = (F + m l w^2 sin a) / (M + m)
/// alpha   = (g sin a - t cos a) / (l (4/3 - m cos^2 a / (M + m)))
/// x''     = t - m l alpha cos a / (M + m)
/// ```
///
/// Barto, Sutton and Anderson, *Neuronlike adaptive elements that can solve difficult learning control
/// problems*, 1983.
pub fn accelerations(state: State, force: f64) -> (f64, f64) {
    let total_mass = CART_MASS + POLE_MASS;
    let (sin, cos) = state.angle.sin_cos();
    let push = (force + POLE_MASS * HALF_LENGTH * state.angular_velocity.powi(2) * sin) / total_mass;
    let inertia = HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cos.powi(2) / total_mass);
    let angular = (GRAVITY * sin - push * cos) / inertia;
    (push - POLE_MASS * HALF_LENGTH * angular * cos / total_mass, angular)
}

/// Returns the state a time later, by a step of Euler's method.
pub fn euler(state: State, force: f64, time_step: f64) -> State {
    let (acceleration, angular) = accelerations(state, force);
    State {
        position: state.position + time_step * state.velocity,
        velocity: state.velocity + time_step * acceleration,
        angle: state.angle + time_step * state.angular_velocity,
        angular_velocity: state.angular_velocity + time_step * angular,
    }
}
// ANCHOR_END: physics

/// A step of an episode, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// State after the step.
    pub state: State,
    /// Reward of the step: 1 for each step, the last one too.
    pub reward: f64,
    /// Whether the pole has fallen or the cart has left the track: nothing can be won from here.
    pub terminated: bool,
    /// Whether the episode was cut off at [`LONGEST_EPISODE`].
    pub truncated: bool,
}

/// The cart-pole of Gymnasium's `CartPole-v1`: its constants, its start, its end.
#[derive(Clone, Debug)]
pub struct CartPole {
    state: State,
    steps: usize,
}

impl CartPole {
    /// Starts an episode, with each number of the state drawn from `-0.05..0.05`.
    pub fn start(generator: &mut Generator) -> Self {
        let mut draw = || generator.uniform(-0.05, 0.05);
        let state = State { position: draw(), velocity: draw(), angle: draw(), angular_velocity: draw() };
        CartPole { state, steps: 0 }
    }

    /// Returns the state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Pushes the cart to the left with action 0, and to the right with action 1.
    pub fn step(&mut self, action: usize) -> Outcome {
        let force = if action == 1 { FORCE } else { -FORCE };
        self.state = euler(self.state, force, TIME_STEP);
        self.steps += 1;
        let terminated = self.state.has_failed();
        let truncated = !terminated && self.steps >= LONGEST_EPISODE;
        Outcome { state: self.state, reward: 1.0, terminated, truncated }
    }
}
